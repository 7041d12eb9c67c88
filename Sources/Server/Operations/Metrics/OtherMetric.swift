/// A metric of a part of the program that the server does not know.
public struct OtherMetric: Sendable {
  /// The name and the value of a label.
  public typealias Label = (name: String, value: String)
  /// A value with its labels.
  public typealias Sample = (labels: [Label], value: Double)

  /// The name of the metric.
  public var name: String
  /// Whether it only grows.
  public var isCounter: Bool
  /// The text that explains it.
  public var help: String
  /// The values.
  public var samples: [Sample]

  /// Creates a metric.
  public init(_ name: String, isCounter: Bool = false, help: String, samples: [Sample]) {
    (self.name, self.isCounter, self.help, self.samples) = (name, isCounter, help, samples)
  }
}
