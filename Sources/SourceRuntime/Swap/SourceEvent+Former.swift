import ListEngine

extension SourceEvent {
  /// The answer to a request that was made for former columns, whose numbers may be wrong by now.
  ///
  /// Returns `nil` if no caller waits for an answer. Loads and queries need none, since the table
  /// that waits for them is replaced.
  package static func refusing(former request: SourceRequest) -> SourceEvent? {
    switch request {
    case .act(let request): .acted(request.id, .failed(.sourceDown, "its source was replaced, and nothing was done"))
    case .image(let number, _): .image(number, .sourceDown)
    case .upload(.begin(let id, _)):
      .upload(.ended(id, UploadReport(failure: .unavailable("its source was replaced"))))
    case .upload, .load, .cancel, .ask, .cancelBlocks, .cancelImages: nil
    }
  }
}
