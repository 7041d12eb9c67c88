import Foundation
import Quotes

/// The table `quotes` as output of a child process, one row per line.
enum QuoteLines {
  /// Writes the schema and the rows to a file.
  static func write(_ rows: Int, to path: String) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let types = ["integer", "text", "text", "number", "integer", "number", "number", "timestamp", "text", "text"]
    let columns = zip(Quotes.columns, types).map { #"{"name":"\#($0)","type":"\#($1)"}"# }.joined(separator: ",")
    var lines = #"{"type":"hello","version":1}"# + "\n"
    lines +=
      #"{"type":"schema","name":"quotes","key":"integer","columns":[\#(columns)]}"# + "\n" + #"{"type":"reload"}"#
      + "\n"
    let quotes = Quotes()
    for index in 0..<rows {
      let quote = quotes.row(index)
      lines +=
        #"{"type":"upsert","key":\#(quote.id),"cells":[\#(quote.id),"\#(quote.symbolText)","\#(quote.sectorText)","#
      lines +=
        #"\#(quote.price),\#(quote.size),\#(quote.bid),\#(quote.ask),\#(quote.milliseconds),"\#(quote.sideText)","#
      lines += #""\#(quote.noteText)"]}"# + "\n"
      if lines.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(lines.utf8))
        lines = ""
      }
    }
    lines += #"{"type":"commit"}"# + "\n"
    try file.write(contentsOf: Data(lines.utf8))
    try file.close()
  }
}
