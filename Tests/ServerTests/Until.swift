import Glibc

/// Repeats a condition until it holds.
///
/// - Throws: ``RawSocket/Failure/nothingCame`` after ``RawSocket/patience``.
func until(_ holds: () throws -> Bool) throws {
  let deadline = RawSocket.now() + RawSocket.patience
  while try !holds() {
    guard RawSocket.now() < deadline else { throw RawSocket.Failure.nothingCame }
    poll(nil, 0, 1)  // a pause of a millisecond, so that the others get the processor
  }
}
