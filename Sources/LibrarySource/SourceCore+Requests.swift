import CListPlugin
import ListEngine
import SourceRuntime
import Wire

/// The host functions for actions, deferred cells and images.
extension SourceCore {
  func offer(_ actions: UnsafePointer<list_action>?, _ count: UInt32, _ size: UInt32, _ act: RequestQueue.Act?) -> Int32
  {
    beforeDeclaring("actions") { () throws(ActionReader.Fault) in
      guard let act else { throw ActionReader.Fault("act is NULL") }
      guard requestQueue.offer(try ActionReader.read(actions, count: count, stride: size), act) else {
        throw ActionReader.Fault("actions were offered before")
      }
    } reason: {
      $0.reason
    }
  }

  func offer(_ loader: UnsafePointer<list_loader>?) -> Int32 {
    beforeDeclaring("deferred") { () throws(LoaderReader.Fault) in
      guard requestQueue.offer(try LoaderReader.read(loader)) else {
        throw LoaderReader.Fault("a loader was offered before")
      }
    } reason: {
      $0.reason
    }
  }

  func offer(_ form: UnsafePointer<list_table_presentation>?) -> Int32 {
    beforeDeclaring("presentation") { () throws(SchemaReader.Fault) in
      let read = try PresentationReader.read(form)
      guard presentation == nil else { throw SchemaReader.Fault("a presentation was offered before") }
      presentation = read
    } reason: {
      $0.reason
    }
  }

  func offer(view json: UnsafePointer<CChar>?) -> Int32 {
    beforeDeclaring("view") { () throws(SchemaReader.Fault) in
      let read = try ViewReader.read(json)
      guard view == nil else { throw SchemaReader.Fault("a view was offered before") }
      view = read
    } reason: {
      $0.reason
    }
  }

  func acted(_ id: UInt64, _ outcome: UInt32, _ message: UnsafePointer<CChar>?) -> Int32 {
    let text = ForeignText.cut(ForeignText.message(message))
    let result: ActionOutcome
    switch outcome {
    case LIST_DONE.rawValue: result = .done(text)
    case LIST_FAILED.rawValue: result = .failed(.failed, text)
    default: return refuse("acted: \(outcome) is not an outcome")
    }
    return answer(.acted(id, result), or: "acted: the action \(id) was not asked for, or was answered before")
  }

  func loaded(_ key: UnsafePointer<list_cell>?, _ column: UInt32, _ value: UnsafePointer<list_cell>?) -> Int32 {
    guard let value else { return refuse("loaded: the value is NULL") }
    return answerCell("loaded", key, column) { (key, number, column) in
      let flat = FlatCell(value.pointee)
      if let fault = flat.fault(limit: Limits().cellBytes) {
        return .notLoaded(key, column: number, reason: "the value \(fault)")
      }
      guard let cell = flat.cell else {
        return .notLoaded(key, column: number, reason: "the value is not UTF-8, or no value at all")
      }
      guard let fitting = Self.fitting(cell, column.type) else {
        return .notLoaded(
          key, column: number, reason: "the value has the type \(flat.type), the column is of type \(column.type)")
      }
      return .loaded(key, column: number, fitting)
    }
  }

  func notLoaded(_ key: UnsafePointer<list_cell>?, _ column: UInt32, _ reason: UnsafePointer<CChar>?) -> Int32 {
    let text = ForeignText.cut(ForeignText.message(reason))
    return answerCell("failed", key, column) { (key, number, _) in
      .notLoaded(key, column: number, reason: text.isEmpty ? "the plugin gave no reason" : text)
    }
  }

  func forget(_ key: UnsafePointer<list_cell>?, _ column: UInt32) -> Int32 {
    answerCell("forget", key, column) { (key, number, _) in .forget(key, column: number) }
  }

  // MARK: Images

  func offer(_ load: ImageCallbacks.Load?, _ cancel: ImageCallbacks.Cancel?) -> Int32 {
    beforeDeclaring("images") { () throws(LoaderReader.Fault) in
      guard let load else { throw LoaderReader.Fault("load is NULL") }
      guard requestQueue.offer(ImageCallbacks(load: load, cancel: cancel)) else {
        throw LoaderReader.Fault("images were offered before")
      }
    } reason: {
      $0.reason
    }
  }

  func imageLoaded(_ id: UInt64, _ bytes: UnsafeRawPointer?, _ length: UInt64) -> Int32 {
    guard let bytes else {
      guard length == 0 else { return refuse("loaded: the bytes of image \(id) are NULL, and \(length) long") }
      return answerImage(id, .none)
    }
    guard length <= UInt64(ImageKind.greatestByteCount) else {
      return answerImage(
        id, .failed(ImageCallbacks.tooLarge + "\(length) bytes, at most \(ImageKind.greatestByteCount)"))
    }
    return answerImage(id, .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: Int(length)))))
  }

  func imageNotLoaded(_ id: UInt64, _ reason: UnsafePointer<CChar>?) -> Int32 {
    let text = ForeignText.cut(ForeignText.message(reason))
    return answerImage(id, .failed(text.isEmpty ? "the plugin gave no reason" : text))
  }

  private func answerImage(_ id: UInt64, _ outcome: ImageOutcome) -> Int32 {
    answer(.image(id, outcome), or: "images: \(id) was not asked for, or was answered before")
  }

  // MARK: Shared helpers

  private func answerCell(
    _ call: String, _ key: UnsafePointer<list_cell>?, _ column: UInt32,
    _ event: (RowKey, Int, Column) -> SourceEvent
  ) -> Int32 {
    guard let schema = declared else { return refuse("\(call): no schema was declared") }
    guard let key, let name = FlatCell(key.pointee).key(as: schema.key) else {
      return refuse("\(call): the key is none that the schema allows")
    }
    guard schema.columns.indices.contains(Int(column)), schema.columns[Int(column)].isDeferred else {
      return refuse("\(call): column \(column) is not deferred")
    }
    return answer(event(name, Int(column), schema.columns[Int(column)]), or: "")
  }

  /// Converts a value to a column's type the way the engine does, or returns nil when it does not
  /// fit.
  private static func fitting(_ cell: Cell, _ type: ColumnType) -> Cell? {
    switch (cell, type) {
    case (.null, _), (.integer, .integer), (.number, .number), (.text, .text), (.boolean, .boolean),
      (.timestamp, .timestamp), (.image, .image), (.series, .series):
      cell
    case (.integer(let value), .number): .number(Double(value))
    default: nil
    }
  }
}
