import ListEngine
import SourceRuntime
import TextSource
import Wire

/// The rules for a plugin's settings, from a subset of JSON Schema.
///
/// Supported are `required`, `additionalProperties: true`, and per entry of `properties` the
/// keywords `type`, `enum`, `minimum` and `maximum`.
package struct SettingRules {
  /// The reason why settings are refused.
  package struct Fault: Error {
    /// The offending setting, if it is a single one.
    package var key: String?
    package var reason: String
  }

  enum Kind: String { case string, integer, number, boolean, array, object }

  fileprivate struct Rule {
    var kind = Kind.string
    var values: [String] = []
    var minimum: Double?
    var maximum: Double?
    var title = ""
    var standard: String?
    var place = 0
  }

  private var rules: [String: Rule] = [:]
  private var required: [String] = []
  private var allowsOthers = false

  package init(_ schema: JSONElement) {
    if let properties = schema["properties"] {
      for (place, (name, value)) in properties.members.prefix(200).enumerated() {
        var rule = Rule()
        rule.kind = value["type"]?.text.flatMap(Kind.init) ?? .string
        rule.values = value["enum"].map { $0.items.prefix(200).map { $0.text ?? $0.written } } ?? []
        rule.minimum = value["minimum"]?.number
        rule.maximum = value["maximum"]?.number
        rule.title = value["title"]?.text.map { ForeignText.cut($0, 100) } ?? ""
        rule.standard = value["default"].map { $0.text ?? $0.written }
        rule.place = place
        rules[String(decoding: name, as: UTF8.self)] = rule
      }
    }
    required = schema["required"].map { $0.items.prefix(200).compactMap(\.text) } ?? []
    allowsOthers = schema["additionalProperties"]?.boolean ?? false
  }

  /// Encodes the settings as a JSON object, each with its declared type.
  ///
  /// Without rules each is a text.
  package static func written(_ settings: [String: String], by rules: SettingRules?) throws(Fault) -> [UInt8] {
    var writer = JSONWriter()
    writer.byte("{")
    for (number, (key, value)) in settings.sorted(by: { $0.key < $1.key }).enumerated() {
      if number > 0 { writer.byte(",") }
      writer.text(key)
      writer.byte(":")
      if let rule = try rules?.rule(key) { try rule.write(value, of: key, to: &writer) } else { writer.text(value) }
    }
    if let missing = rules?.required.first(where: { settings[$0] == nil }) {
      throw Fault(key: missing, reason: "it must be set")
    }
    writer.byte("}")
    return writer.bytes
  }

  /// Returns a form for the settings, in the order of the declaration.
  ///
  /// An optional setting without a default is a text that may stay empty, because other kinds of
  /// fields have no empty value.
  ///
  /// - Parameters:
  ///   - present: The present value of a setting, or `nil`.
  ///   - isSecret: Whether a setting with this name and value is left out.
  package func form(
    present: (String) -> String?, leavingOut isSecret: (String, String) -> Bool = { _, _ in false }
  ) -> [ActionArgument] {
    let shown = rules.filter { !isSecret($0.key, present($0.key) ?? $0.value.standard ?? "") }
    return shown.sorted { $0.value.place < $1.value.place }.prefix(Self.greatestFieldCount).map { name, rule in
      let isRequired = required.contains(name)
      let value = present(name) ?? rule.standard
      let kind = value == nil && !isRequired ? .text : rule.fieldKind
      func cell(_ text: String) -> Cell {
        switch kind {
        case .integer: Int64(text).map { .integer($0) } ?? .null
        case .number: Double(text).map { .number($0) } ?? .null
        case .boolean: .boolean(text == "true")
        case .text: .text(text)
        }
      }
      let choices = rule.values.isEmpty ? [] : (isRequired ? [] : [""]) + rule.values
      return ActionArgument(
        name, kind, label: rule.title, choices: choices.map { cell($0) }.filter { $0 != .null },
        standard: value.map { cell($0) } ?? (isRequired ? nil : .text("")),
        minimum: kind == .text ? nil : rule.minimum, maximum: kind == .text ? nil : rule.maximum)
    }
  }

  /// The maximum number of fields in a form.
  private static let greatestFieldCount = 16

  private func rule(_ key: String) throws(Fault) -> Rule? {
    if let rule = rules[key] { return rule }
    guard !allowsOthers else { return nil }
    let names = rules.keys.sorted().joined(separator: ", ")
    throw Fault(
      key: key, reason: "unknown setting" + (names.isEmpty ? "; there are none" : "; the settings are \(names)"))
  }
}

extension SettingRules.Rule {
  fileprivate var fieldKind: ActionArgument.Kind {
    // Choices may contain the empty value of an optional setting, which only a text has.
    guard values.isEmpty else { return .text }
    return switch kind {
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    case .string, .array, .object: .text
    }
  }

  fileprivate func write(_ value: String, of key: String, to writer: inout JSONWriter) throws(SettingRules.Fault) {
    func refuse(_ reason: String) -> SettingRules.Fault { SettingRules.Fault(key: key, reason: reason) }
    guard values.isEmpty || values.contains(value) else {
      throw refuse("'\(value)' is none of \(values.joined(separator: ", "))")
    }
    switch kind {
    case .string: writer.text(value)
    case .boolean:
      guard value == "true" || value == "false" else { throw refuse("'\(value)' is neither true nor false") }
      writer.bytes.append(contentsOf: value.utf8)
    case .integer, .number:
      guard let number = Double(value), number.isFinite, kind == .number || Int64(value) != nil else {
        throw refuse("'\(value)' is not a \(kind == .integer ? "whole number" : "number")")
      }
      if let minimum, number < minimum { throw refuse("\(value) is less than \(JSONElement.written(minimum))") }
      if let maximum, number > maximum { throw refuse("\(value) is more than \(JSONElement.written(maximum))") }
      // Re-encoded, because Swift parses more forms of numbers than JSON allows.
      if let whole = Int64(value) { writer.integer(whole) } else { writer.bytes.append(contentsOf: "\(number)".utf8) }
    case .array, .object:
      var bytes = Array(value.utf8)
      let count = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
      let parser = JSONParser()
      let isFitting = bytes.withUnsafeBytes { buffer in
        guard let element = try? parser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
        return element.kind == (kind == .array ? .list : .object)
      }
      guard isFitting else { throw refuse("'\(value)' is not a JSON \(kind.rawValue)") }
      writer.bytes.append(contentsOf: value.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
    }
  }
}
