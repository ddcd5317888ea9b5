/** Operators of other languages, symbols and words, for which an expression has another form: what to write. */
export const FOREIGN_FORMS: ReadonlyMap<string, string> = new Map([
  ['=~', 'matches(text, pattern)'],
  ['~=', 'matches(text, pattern)'],
  ['like', 'matches(text, pattern)'],
  ['matches', 'matches(text, pattern)'],
  ['**', 'pow(a, b)'],
  ['^', 'pow(a, b)'],
  ['??', 'coalesce(a, b)'],
  ['between', 'a >= low && a <= high'],
])
