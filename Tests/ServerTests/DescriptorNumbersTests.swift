import Glibc
import Testing

@testable import Server

/// The number of the descriptor by which libwebsockets wakes itself, which it closes twice.
@Suite struct DescriptorNumbersTests {
  /// From here on, half of those that there may be, and no more than 8,192.
  private static let floor: Int32 = {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int32(min(8_192, limit.rlim_cur / 2))
  }()

  @Test func anEventsNumberIsFarAboveThoseThatOthersGet() {
    // As libraries find it: Glibc's module does not have it.
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

  @Test func libwebsocketsHasOneOfThose() throws {
    let server = try RunningServer()
    let numbers = (Self.floor..<Self.floor + 64).filter { number in
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/self/fd/\(number)", &target, target.count)
      return count > 0 && target[..<count].elementsEqual("anon_inode:[eventfd]".utf8.map { CChar(bitPattern: $0) })
    }
    // The loop's own, and libwebsockets' own.
    #expect(numbers.count >= 2)
    #expect(server.stop(within: 60))
  }
}
