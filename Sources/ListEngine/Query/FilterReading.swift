/// The answer to a client that asks for the meaning of a filter written as text.
public struct FilterReading: Hashable, Sendable {
  /// The meaning of the text, or its first fault.
  public var result: Result<FilterText, FilterText.Fault>
  /// The texts that fit at the client's caret; `nil` if nothing fits.
  public var completion: FilterCompletion?

  /// Creates an answer from its parts.
  public init(_ result: Result<FilterText, FilterText.Fault>, completion: FilterCompletion? = nil) {
    self.result = result
    self.completion = completion
  }

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - schema: The schema of the table, as the client sees it.
  ///   - caret: The place of the caret in UTF-16 code units; `nil` if no texts are wanted.
  /// - Complexity: O(bytes · columns).
  public init(_ written: WrittenFilter, schema: Schema, caret: Int?) {
    do throws(FilterText.Fault) {
      result = .success(try FilterText(written.text, schema: schema, zone: written.zone))
    } catch {
      result = .failure(error)
    }
    completion = caret.flatMap { FilterCompletion(written.text, at: $0, schema: schema) }
  }
}
