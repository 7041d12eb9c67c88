import Testing

@testable import ListEngine

/// Design.md 4.8 and docs/protocol.md “viewport”: the items that a client should hold.
@Suite struct ScrollAnchorWindowTests {
  private func reader(
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
    #expect(reader(200).visible(of: 1_000) == 200..<240)
    #expect(reader(200).window(of: 1_000) == 190..<270)
    #expect(reader(200, from: 500).window(of: 1_000) == 170..<250)
    // The rest of the three quarters lies ahead.
    #expect(reader(200, count: 7).window(of: 1_000) == 199..<213)
    #expect(reader(200, count: 7, from: 500).window(of: 1_000) == 194..<208)
    #expect(reader(200, count: 1).window(of: 1_000) == 200..<202)
  }

  @Test func `a scroll to the same position keeps the direction`() {
    var scrollAnchor = reader(200)
    #expect(!scrollAnchor.isTravellingUp)
    for (first, isUp) in [(199, true), (199, true), (200, false), (200, false), (0, true), (1, false)] {
      scrollAnchor.go(to: Viewport(first: first), shift: 0)
      #expect(scrollAnchor.isTravellingUp == isUp)
    }
  }

  @Test func `buffer sizes of the client replace the default ones`() {
    #expect(reader(200, ahead: 60, behind: 20).window(of: 1_000) == 180..<300)
    #expect(reader(200, ahead: 60, behind: 20, from: 500).window(of: 1_000) == 180..<300)
    #expect(reader(200, ahead: 0, behind: 0).window(of: 1_000) == 200..<240)
    #expect(reader(200, ahead: 5).window(of: 1_000) == 190..<245)
    #expect(reader(200, behind: 5).window(of: 1_000) == 195..<270)
  }

  @Test func `the viewport and the window end with the list`() {
    #expect(reader(5).window(of: 1_000) == 0..<75)
    #expect(reader(970).visible(of: 1_000) == 960..<1_000)
    #expect(reader(970).window(of: 1_000) == 950..<1_000)
    #expect(reader(960).visible(of: 1_000) == 960..<1_000)
    #expect(reader(961).visible(of: 1_000) == 960..<1_000)
    #expect(reader(959).visible(of: 1_000) == 959..<999)
    #expect(reader(5_000).visible(of: 30) == 0..<30)
    #expect(reader(5_000).window(of: 0) == 0..<0)
    #expect(reader(0).window(of: 1) == 0..<1)
  }

  @Test func `clamps positions above the top to zero`() {
    var scrollAnchor = reader(200)
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
    var scrollAnchor = reader(1_000, count: 40, ahead: 60, behind: 20)
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
