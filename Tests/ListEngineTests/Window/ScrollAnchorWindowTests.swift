import Testing

@testable import ListEngine

/// Design.md 4.8 and docs/protocol.md “viewport”: the items that a client should hold.
@Suite struct ScrollAnchorWindowTests {
  private func anchor(
    _ first: Int, count: Int = 40, ahead: Int? = nil, behind: Int? = nil, from before: Int = 0
  ) -> ScrollAnchor {
    var scrollAnchor = ScrollAnchor()
    scrollAnchor.go(to: Viewport(first: before, stick: nil), shift: 0)
    let viewport = Viewport(first: first, count: count, ahead: ahead, behind: behind, stick: nil)
    scrollAnchor.resize(viewport, limits: Limits())
    scrollAnchor.go(to: viewport, shift: 0)
    return scrollAnchor
  }

  @Test func `starts with fifty visible items at the top`() {
    let scrollAnchor = ScrollAnchor()
    #expect(
      scrollAnchor.first == 0 && scrollAnchor.count == 50 && scrollAnchor.stick == .top
        && scrollAnchor.namedAnchor == nil)
    #expect(scrollAnchor.window(of: 1_000) == 0..<88)
  }

  @Test func `the buffer is one viewport, three quarters of it ahead`() {
    #expect(anchor(200).visible(of: 1_000) == 200..<240)
    #expect(anchor(200).window(of: 1_000) == 190..<270)
    #expect(anchor(200, from: 500).window(of: 1_000) == 170..<250)
    // The rest of the three quarters lies ahead.
    #expect(anchor(200, count: 7).window(of: 1_000) == 199..<213)
    #expect(anchor(200, count: 7, from: 500).window(of: 1_000) == 194..<208)
    #expect(anchor(200, count: 1).window(of: 1_000) == 200..<202)
  }

  @Test func `a scroll to the same position keeps the direction`() {
    var scrollAnchor = anchor(200)
    #expect(!scrollAnchor.isTravellingUp)
    for (first, isUp) in [(199, true), (199, true), (200, false), (200, false), (0, true), (1, false)] {
      scrollAnchor.go(to: Viewport(first: first), shift: 0)
      #expect(scrollAnchor.isTravellingUp == isUp)
    }
  }

  @Test func `buffer sizes of the client replace the default ones`() {
    #expect(anchor(200, ahead: 60, behind: 20).window(of: 1_000) == 180..<300)
    #expect(anchor(200, ahead: 60, behind: 20, from: 500).window(of: 1_000) == 180..<300)
    #expect(anchor(200, ahead: 0, behind: 0).window(of: 1_000) == 200..<240)
    #expect(anchor(200, ahead: 5).window(of: 1_000) == 190..<245)
    #expect(anchor(200, behind: 5).window(of: 1_000) == 195..<270)
  }

  @Test func `the viewport and the window end with the list`() {
    #expect(anchor(5).window(of: 1_000) == 0..<75)
    #expect(anchor(970).visible(of: 1_000) == 960..<1_000)
    #expect(anchor(970).window(of: 1_000) == 950..<1_000)
    #expect(anchor(960).visible(of: 1_000) == 960..<1_000)
    #expect(anchor(961).visible(of: 1_000) == 960..<1_000)
    #expect(anchor(959).visible(of: 1_000) == 959..<999)
    #expect(anchor(5_000).visible(of: 30) == 0..<30)
    #expect(anchor(5_000).window(of: 0) == 0..<0)
    #expect(anchor(0).window(of: 1) == 0..<1)
  }

  @Test func `clamps positions above the top to zero`() {
    var scrollAnchor = anchor(200)
    scrollAnchor.go(to: Viewport(first: -7, stick: nil), shift: 0)
    #expect(scrollAnchor.first == 0)
    scrollAnchor.go(to: Viewport(first: 3, stick: nil), shift: -9)
    #expect(scrollAnchor.first == 0)
    scrollAnchor.go(to: Viewport(first: -7, stick: nil), shift: 4)
    #expect(scrollAnchor.first == 4)
  }

  @Test func `has a named anchor only if it sticks to no edge`() {
    var scrollAnchor = ScrollAnchor()
    let row = RowID(rawValue: 9)
    for (stick, isNamed) in [(nil, true), (.top, false), (.end, false)] as [(Viewport.Stick?, Bool)] {
      scrollAnchor.go(to: Viewport(first: 3, anchor: row, stick: stick), shift: 0)
      #expect((scrollAnchor.namedAnchor == row) == isNamed)
      #expect(scrollAnchor.anchor == row)
    }
    scrollAnchor.leaveEdge()
    #expect(scrollAnchor.stick == nil && scrollAnchor.namedAnchor == row)
  }

  @Test func `a limited window shrinks its buffer before its viewport`() {
    var scrollAnchor = anchor(1_000, count: 40, ahead: 60, behind: 20)
    scrollAnchor.greatestWindow = 80
    #expect(scrollAnchor.visible(of: 5_000) == 1_000..<1_040)
    #expect(scrollAnchor.window(of: 5_000) == 990..<1_070)
    scrollAnchor.greatestWindow = 30
    #expect(scrollAnchor.visible(of: 5_000) == 1_000..<1_030)
    #expect(scrollAnchor.window(of: 5_000) == 1_000..<1_030)
    scrollAnchor.greatestWindow = 120
    #expect(scrollAnchor.window(of: 5_000) == 980..<1_100)
  }
}
