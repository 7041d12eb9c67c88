// What browsers and Node have and the libraries of TypeScript 4.8 lack.

interface Array<T> {
  findLast<S extends T>(matches: (value: T, index: number, all: T[]) => value is S): S | undefined;
  findLast(matches: (value: T, index: number, all: T[]) => unknown): T | undefined;
  findLastIndex(matches: (value: T, index: number, all: T[]) => unknown): number;
  toReversed(): T[];
  toSorted(compare?: (a: T, b: T) => number): T[];
  toSpliced(start: number, deleteCount?: number, ...items: T[]): T[];
  with(index: number, value: T): T[];
}

interface ReadonlyArray<T> {
  findLast(matches: (value: T, index: number, all: readonly T[]) => unknown): T | undefined;
  findLastIndex(matches: (value: T, index: number, all: readonly T[]) => unknown): number;
}

/** Ranges of text that a style of the page marks (CSS Custom Highlight API). */
interface Highlight extends Set<AbstractRange> {
  priority: number;
}
declare var Highlight: { new (...ranges: AbstractRange[]): Highlight } | undefined;
declare namespace CSS {
  const highlights: Map<string, Highlight>;
}

/** An event `E` whose target is an element of type `T`. */
type On<E, T = Element> = E & { target: T };

// The page gives the focus to HTML elements only.
interface Document {
  readonly activeElement: HTMLElement | null;
}

// Modules of workers are checked with the types of the page.
interface Window {
  postMessage(message: any, transfer: Transferable[]): void;
}
