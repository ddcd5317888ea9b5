/** Operators of other languages, symbols and words, with the form that replaces them here. */
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
