import { type FormProblem, type Location, placeInExpression, type Problem, quote } from '@engine/expression/core'

/** An error in a ruleset document, or a warning about it. Collected, never thrown. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the document. */
  readonly path: string
  /** Kebab-case identifier, stable, safe to match on: a key of `faults` here or a code of the expression package. */
  readonly code: string
  /** Lower-case sentence without a final period, user text in backticks. */
  readonly message: string
  /**
   * One-based. Within the expression at `path` when the message ends with "of the expression"; otherwise within the
   * document's text, and only when that was given.
   */
  readonly line?: number
  /** One-based, in UTF-16 units; always together with `line`. */
  readonly column?: number
  /** A correction, when there is a good guess. */
  readonly suggestion?: string
}

/** A fault without its place. */
export type FaultText = Pick<Fault, 'code' | 'message' | 'line' | 'column' | 'suggestion'>

function fault(code: string, message: string, suggestion?: string): FaultText {
  return suggestion === undefined ? { code, message } : { code, message, suggestion }
}

const guess = (nearest: string | undefined) => (nearest === undefined ? '' : `; did you mean ${quote(nearest)}?`)

/** Every message about a document: faults first, then warnings. Codes are the names here in kebab-case. */
export const faults = {
  notAnObject: (found: string) => fault('not-an-object', `a ruleset is a JSON object, found ${found}`),
  missing: (field: string, expected: string) =>
    fault('missing-field', `the field ${quote(field)} is missing: it must be ${expected}`),
  wrongType: (expected: string, found: string) => fault('wrong-type', `must be ${expected}, found ${found}`),
  tooLong: (limit: number, length: number) =>
    fault('too-long', `must have at most ${limit} characters, this has ${length}`),
  empty: () => fault('empty', 'must not be empty'),
  outOfRange: (low: number, high: number, found: string) =>
    fault('out-of-range', `must be a whole number from ${low} to ${high}, found ${found}`),
  tooMany: (what: string, limit: number, found: number) =>
    fault('too-many', `at most ${limit} ${what} are allowed, found ${found}`),
  tooManyConstants: (limit: number) =>
    fault(
      'too-many-constants',
      `outputs and defaults may contain at most ${limit} constant values, including those inside of lists and objects: ` +
        'pass a large table as input',
    ),
  tooManyItems: (limit: number) =>
    fault(
      'too-many',
      `all list literals in expressions together may have at most ${limit} items, and this expression exceeds the limit: ` +
        'pass a large list as input',
    ),
  tooManyParts: (limit: number) =>
    fault(
      'too-many',
      `all expressions together may have at most ${limit} parts (names, values, operators, calls), and this one exceeds the limit`,
    ),
  tooLargePatterns: () =>
    fault(
      'too-large',
      'the regular expressions and globs in this expression are too large together: use several steps',
    ),
  tooManyBranches: (limit: number) =>
    fault('too-many', `all steps together may have at most ${limit} branches: this one exceeds the limit`),
  notOneOf: (found: string, allowed: readonly string[], nearest: string | undefined) =>
    fault('not-one-of', `must be ${listed(allowed)}, found ${quote(found)}${guess(nearest)}`, nearest),
  badName: (reason: string) => fault('bad-name', reason),

  noSteps: () => fault('no-steps', 'a ruleset needs at least one step'),
  idMismatch: (id: string, key: string) =>
    fault('id-mismatch', `the step's id ${quote(id)} must be equal to its key ${quote(key)}`, key),
  unknownStep: (id: string, nearest: string | undefined) =>
    fault('unknown-step', `there is no step ${quote(id)}${guess(nearest)}`, nearest),
  unknownSubRule: (name: string, nearest: string | undefined) =>
    fault('unknown-sub-rule', `\`sub_rules\` has no sub-rule ${quote(name)}${guess(nearest)}`, nearest),
  subRuleCycle: (names: readonly string[]) =>
    fault('sub-rule-cycle', `this sub-rule uses itself: ${names.map((name) => quote(name)).join(' → ')}`),
  nestedSubRules: (limit: number) =>
    fault('nested-too-deeply', `sub-rules are nested more than ${limit} levels deep here`),
  tooManyInlined: (what: string, limit: number, found: number) =>
    fault('too-many', `at most ${limit} ${what} are allowed, and including every use of a sub-rule there are ${found}`),
  deadEnd: () => fault('dead-end', 'a decision needs at least one branch or a `default_next`'),

  badVariableName: (name: string) =>
    fault(
      'bad-variable-name',
      `${quote(name)} cannot be a variable: a name is letters, digits and \`_\`, no digit first`,
    ),
  badExpression: (problem: Problem, place: Location) => ({
    ...fault(problem.code, problem.message + placeInExpression(place), problem.suggestion),
    ...place,
  }),
  badForm: ({ code, message, suggestion, place }: Omit<FormProblem, 'path'>) => ({
    ...fault(code, message, suggestion),
    ...place,
  }),
  listAsExpression: () =>
    fault(
      'list-as-expression',
      'a list is not an expression: write it as text, `"[1, 2]"`, or as `{"Literal": [1, 2]}`',
    ),
  emptyExpression: () => fault('empty-expression', 'an expression must not be empty'),
  notAPair: (expected: string) => fault('not-a-pair', `must be a pair ${expected}`),
  repeatedName: (name: string) => fault('repeated-name', `the name ${quote(name)} is given twice`),
  badDefaultPath: (key: string) =>
    fault('bad-default-path', `${quote(key)} is not a field path such as \`order.total\``),
  repeatedDefault: (key: string, path: string) =>
    fault('repeated-default', `${quote(key)} means ${quote(path)}, which already has a default`),
  badReceiptField: (path: string) =>
    fault('bad-receipt-field', `${quote(path)} is not a path of names such as \`customer.id\``),
  overlappingReceiptField: (path: string, other: string) =>
    fault('overlapping-receipt-field', `${quote(path)} overlaps ${quote(other)}: list only one of them`),
  tooManyReceiptFields: (limit: number, count: number) =>
    fault('too-many', `at most ${limit} receipt fields are allowed, found ${count}`),
  openPlaceholder: () => fault('open-placeholder', 'a `{` without its `}`: write `{{` for a literal brace'),
  loneBrace: () => fault('lone-brace', 'a `}` without its `{`: write `}}` for a literal brace'),
  emptyPlaceholder: () => fault('empty-placeholder', 'there is no expression between `{` and `}`'),
  more: (count: number) => fault('more', `${count} more not shown`),

  unknownField: (field: string, of: string, nearest: string | undefined) =>
    fault('unknown-field', `${of} has no field ${quote(field)}: it is kept and ignored${guess(nearest)}`, nearest),
  unknownCapability: (name: string, nearest: string | undefined) =>
    fault(
      'unknown-capability',
      `there is no capability ${quote(name)} here: an execution that calls it fails${guess(nearest)}`,
      nearest,
    ),
  unknownOperation: (capability: string, name: string, operations: readonly string[], nearest: string | undefined) =>
    fault(
      'unknown-operation',
      `${quote(capability)} has no operation ${quote(name)}, only ${listed(operations)}: an execution that calls it fails`,
      nearest,
    ),
  missingParameter: (capability: string, name: string) =>
    fault(
      'missing-parameter',
      `${quote(capability)} needs the parameter ${quote(name)}: an execution without it fails`,
    ),
  nullCondition: () => fault('null-condition', '`null` counts as always true; write `true`', 'true'),
  branchAfterAlways: (index: number) =>
    fault('branch-after-always', `never tried: the branch at index ${index} is always taken`),
  noActions: () => fault('no-actions', 'this action step has no actions'),
  unusedDefaults: (mode: string) =>
    fault('unused-defaults', `\`defaults\` have no effect while \`field_missing\` is ${quote(mode)}`, 'default'),
  unusedContractDefaults: () =>
    fault('unused-defaults', 'the defaults of the contract have no effect while `field_missing` is `strict`'),
  unroundedQuotient: (name: string) =>
    fault(
      'unrounded-quotient',
      `the output ${quote(name)} is a quotient, which may have 34 digits: round it, for example by \`round(…, 2)\``,
    ),
  unknownFieldType: (type: string) =>
    fault(
      'unknown-type',
      `${quote(type)} is not a type: use string, number, integer, boolean, object, any, array<…> or concept:…`,
    ),
  unknownConcept: (name: string) => fault('unknown-concept', `the contract has no concept ${quote(name)}`),
  digitsOfOtherType: (type: string) =>
    fault(
      'digits-of-other-type',
      `only a field of the type \`decimal\` has digits, not one of the type ${quote(type)}`,
    ),
  badFieldPath: (name: string) => fault('bad-path', `${quote(name)} is not a path such as \`order.total\``),
  nearlyPairs: () =>
    fault('nearly-pairs', 'copied to the output unchanged: not every item is a pair of a name and an expression'),
  unsetVariable: (name: string, nearest: string | undefined) =>
    fault(
      'unset-variable',
      `nothing in this ruleset sets the variable ${quote(`$${name}`)}${guess(nearest && `$${nearest}`)}`,
      nearest && `$${nearest}`,
    ),
  unboundField: (subRule: string, field: string) =>
    fault(
      'unbound-field',
      `the sub-rule ${quote(subRule)} reads ${quote(field)}, which this step does not bind: it is missing there`,
    ),
  unsetOutput: (subRule: string, name: string, nearest: string | undefined) =>
    fault(
      'unset-output',
      `nothing in the sub-rule ${quote(subRule)} sets the variable ${quote(`$${name}`)}${guess(nearest && `$${nearest}`)}`,
      nearest && `$${nearest}`,
    ),
  unusedSubRule: (name: string) => fault('unused-sub-rule', `no step uses the sub-rule ${quote(name)}`),
  unreachableStep: (id: string) => fault('unreachable-step', `${quote(id)} is not reachable from the entry step`),
  noTerminal: () =>
    fault('no-terminal', 'no terminal step is reachable from the entry step: every execution ends in an error'),
  endlessLoop: (ids: readonly string[]) =>
    fault(
      'endless-loop',
      `${listedSteps(ids)} ${ids.length === 1 ? 'forms' : 'form'} a loop that changes no variable: ` +
        'an execution that completes it once repeats it until `max_depth` ends it with an error',
    ),
} as const

function listed(allowed: readonly string[]): string {
  return allowed.length === 1 ? quote(allowed[0] ?? '') : `one of ${allowed.map((name) => quote(name)).join(', ')}`
}

function listedSteps(ids: readonly string[]): string {
  const shown = ids
    .slice(0, 5)
    .map((id) => quote(id))
    .join(', ')
  const rest = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  return `${ids.length === 1 ? 'the step' : 'the steps'} ${shown}${rest}`
}
