const REASONS: { readonly [code: string]: string } = {
  'null-operand': 'a value is missing',
  'null-argument': 'a value is missing',
  'missing-field': 'a value is missing',
  'wrong-type': 'a value has the wrong type',
  'bad-argument': 'a value is not allowed',
  'division-by-zero': 'division by zero',
  'not-finite': 'a number is too large',
  'value-too-large': 'a value is too large',
  'nested-too-deeply': 'a value is nested too deeply',
  'no-branch': 'no branch or row matches',
  'max-depth': 'too many steps',
  INVALID_INPUT: 'the input breaks the contract',
}

/** The reason why a decision fails, by error code. Unknown codes are shown as they are. */
export const failureReason = (code: string): string => REASONS[code] ?? code
