import Threads

/// The saved views of a server, and the requests that change them. [the loop]
struct Views {
  private(set) var library = ViewLibrary()
  var requests = ViewRequests()
  /// The folder of the views; `nil` if the server keeps none.
  let folder: ViewFolder?
  /// The files that were not used at the start, with the reasons.
  let faults: [(file: String, reason: String)]
  private let results = Guarded<[String?]>([])

  /// Reads the views of a folder.
  ///
  /// - Throws: ``ServerError`` if the folder is not usable.
  init(_ folder: ViewFolder?) {
    self.folder = folder
    guard let folder else {
      faults = []
      return
    }
    (library, faults) = folder.load()
  }

  /// The reason for refusals on a server without a folder.
  static let offReason = "This server keeps no views. Its operator can name a folder for them with --views."

  /// Begins to write the next change, or refuses it without a file.
  ///
  /// - Returns: A refused request with the reason, or `nil`.
  mutating func startNext(_ waker: Waker) -> (entry: ViewRequests.Entry, fault: ViewFault)? {
    guard let folder, let entry = requests.takeNext() else { return nil }
    do throws(ViewFault) {
      let change = try library.change(entry.edit, by: entry.author)
      requests.begin(change, of: entry)
      folder.perform(change) { [results] fault in
        results.withLock { $0.append(fault) }
        waker.wake()
      }
      return nil
    } catch {
      return (entry, error)
    }
  }

  /// Removes and returns the change whose file is written, with the fault if that failed.
  mutating func takeResult() -> (entry: ViewRequests.Entry, change: ViewLibrary.Change, fault: String?)? {
    guard let fault = results.withLock({ $0.isEmpty ? nil : Optional($0.removeFirst()) }),
      let current = requests.takeCurrent()
    else { return nil }
    if fault == nil { library.commit(current.change) }
    return (current.entry, current.change, fault)
  }
}
