import CWebSockets
import ListEngine
import Wire

/// The pending image loads; concurrent requests for one image share a load.
///
///     switch requests.ask(table, key, for: socket, until: now + patience) {
///     case .begun(let number): source.send(.image(number, key))
///     case .joined, .full: ...
///     }
///     requests.finish(number)            // the sockets to answer
///     requests.leave(socket)             // the load to cancel, if nothing else waits for it
struct ImageRequests {
  /// The maximum number of pending loads per table.
  static let greatestForTable = 64
  /// The maximum size of an image, in bytes.
  static let greatestByteCount = ImageKind.greatestByteCount
  /// The maximum length of a key, in bytes.
  static let greatestKey = 1_024
  /// The time limit for a load.
  static let patience: Duration = .seconds(10)

  enum Answer: Equatable {
    /// The load is new and must be sent to the source with this number.
    case begun(UInt64)
    /// The load is pending already.
    case joined
    /// Too many loads are pending.
    case full
  }

  private struct Name: Hashable {
    var table: TableID
    var key: ExactText
  }

  private struct Load {
    var name: Name
    var sockets: [OpaquePointer]
    var deadline: Instant
  }

  private var loads: [UInt64: Load] = [:]
  private var numbers: [Name: UInt64] = [:]
  private var places: [OpaquePointer: UInt64] = [:]
  private var last: UInt64 = 0

  /// The earliest deadline of the pending loads.
  var deadline: Instant? { loads.values.map(\.deadline).min() }

  /// Requests an image on behalf of a socket.
  mutating func ask(_ table: TableID, _ key: String, for socket: OpaquePointer, until deadline: Instant) -> Answer {
    let name = Name(table: table, key: ExactText(key))
    if let number = numbers[name] {
      loads[number]?.sockets.append(socket)
      places[socket] = number
      return .joined
    }
    guard loads.values.count(where: { $0.name.table == table }) < Self.greatestForTable else { return .full }
    last += 1
    numbers[name] = last
    places[socket] = last
    loads[last] = Load(name: name, sockets: [socket], deadline: deadline)
    return .begun(last)
  }

  /// Ends a load, and returns the sockets that wait for it.
  mutating func finish(_ number: UInt64) -> [OpaquePointer] {
    guard let load = loads.removeValue(forKey: number) else { return [] }
    numbers[load.name] = nil
    for socket in load.sockets { places[socket] = nil }
    return load.sockets
  }

  /// Removes a socket; returns its load and table if no other socket waits for it.
  mutating func leave(_ socket: OpaquePointer) -> (number: UInt64, table: TableID)? {
    guard let number = places.removeValue(forKey: socket) else { return nil }
    loads[number]?.sockets.removeAll { $0 == socket }
    guard let load = loads[number], load.sockets.isEmpty else { return nil }
    loads[number] = nil
    numbers[load.name] = nil
    return (number, load.name.table)
  }

  /// Returns the loads whose deadline has passed, with their tables.
  func overdue(at now: Instant) -> [(number: UInt64, table: TableID)] {
    loads.filter { $0.value.deadline <= now }.map { ($0.key, $0.value.name.table) }.sorted { $0.number < $1.number }
  }
}
