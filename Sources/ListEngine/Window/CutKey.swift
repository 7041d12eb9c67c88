/// The inputs that determine a patch; sessions with equal keys at one time share one patch.
struct CutKey: Hashable {
  private let view: ObjectIdentifier
  private let base: ObjectIdentifier?
  private let range: Range<Int>
  private let visible: Range<Int>
  private let isTravellingUp: Bool
  private let waitingMoves: Int?
  private let budget: Int

  init(_ cutter: Cutter) {
    view = ObjectIdentifier(cutter.folded)
    base = cutter.base.map { ObjectIdentifier($0) }
    range = cutter.range
    visible = cutter.visible
    isTravellingUp = cutter.isTravellingUp
    waitingMoves = cutter.waitingMoves
    budget = cutter.budget
  }
}
