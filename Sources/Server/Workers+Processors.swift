import Dispatch
import Foundation
import ListEngine

extension Workers {
  /// A worker for each processor of this process, at most four, because more wait for the memory.
  static var processors: Workers {
    Workers(count: min(4, ProcessInfo.processInfo.activeProcessorCount)) {
      DispatchQueue.concurrentPerform(iterations: $0, execute: $1)
    }
  }
}
