/// Lends places for section headers, so that a page reuses its header nodes instead of making new ones.
struct HeaderPool {
}
