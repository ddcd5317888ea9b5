/**
 * Asserts that an element exists whose index or key was found in the same list or object, which the compiler cannot
 * prove. Throws a `TypeError` for undefined, a defect of the caller.
 */
export function defined<Kind>(value: Kind | undefined): Kind {
  if (value === undefined) throw new TypeError('a value that must exist is undefined')
  return value
}
