import Glibc
import Testing

@testable import Server

/// Tests that eventfd descriptors have high numbers, because libwebsockets closes one of them
/// twice.
@Suite struct DescriptorNumbersTests {
  /// The lowest such number: half of the limit on descriptors, and at most 8,192.
  private static let floor: Int32 = {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int32(min(8_192, limit.rlim_cur / 2))
  }()

  @Test func `eventfd descriptors have high numbers and keep their flags`() {
    // Look the function up dynamically, because Swift's Glibc module does not contain it.
    let make = unsafeBitCast(dlsym(nil, "eventfd"), to: (@convention(c) (UInt32, Int32) -> Int32).self)
    for (flags, kept) in [(0, 0), (O_CLOEXEC, FD_CLOEXEC)] {
      let event = make(7, flags | O_NONBLOCK)
      #expect(event >= Self.floor)
      #expect(fcntl(event, F_GETFD, 0) == kept)
      #expect(fcntl(event, F_GETFL, 0) & O_NONBLOCK != 0)
      var count: UInt64 = 0
      #expect(read(event, &count, 8) == 8)
      #expect(count == 7)
      close(event)
    }
    #expect(make(0, -1) == -1)
  }

  /// libuv ends the process when the second close takes another server's event.
  @Test func `a closed event's descriptor number is not reused soon`() {
    let make = unsafeBitCast(dlsym(nil, "eventfd"), to: (@convention(c) (UInt32, Int32) -> Int32).self)
    var numbers: Set<Int32> = []
    for _ in 0..<64 {
      let event = make(0, O_CLOEXEC)
      #expect(numbers.insert(event).inserted, "the event \(event) was closed just before")
      close(event)
    }
  }

  @Test func `the loop and libwebsockets use high eventfd numbers`() throws {
    let server = try RunningServer()
    let numbers = (Self.floor..<Self.floor + 4_096).filter { number in
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/self/fd/\(number)", &target, target.count)
      return count > 0 && target[..<count].elementsEqual("anon_inode:[eventfd]".utf8.map { CChar(bitPattern: $0) })
    }
    // One belongs to the loop, and one to libwebsockets.
    #expect(numbers.count >= 2)
    #expect(server.stop(within: 60))
  }
}
