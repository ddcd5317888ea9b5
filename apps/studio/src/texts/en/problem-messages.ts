/** The parts of an engine's message that the sentence in the user's language needs. */
export interface MessageParts {
  /** The quoted parts, without backticks. */
  readonly quoted: readonly string[]
  /** The integers outside the quoted parts. */
  readonly numbers: readonly number[]
  readonly message: string
}

/** Sentences for problems by code; for unknown codes, the message of the engine is shown. */
export const problemMessages: { readonly [code: string]: (parts: MessageParts) => string } = {
  'cell-not-literal': ({ quoted: [text = ''] }) =>
    `“${text}” is read as an expression. Put a text in quotes, or choose the type text for the column.`,
  'bad-interval': () => 'A range is written like [1..5] or (0..1], the lower value first.',
  'cell-type': ({ quoted: [type = ''] }) => `This is not of the type of the column, ${type}.`,
  'branch-after-always': ({ numbers: [index = 0] }) => `This is never reached: branch ${index + 1} always matches.`,
  'unreachable-step': () => 'No step leads here.',
  'missing-target': () => 'This leads nowhere yet. Choose the next step.',
  'no-start-step': () => 'The ruleset has no first step.',
  'unknown-step': () => 'This leads to a step that was deleted. Choose another one.',
  'dead-end': () => 'This decision needs a branch, or a step for “otherwise”.',
  'no-terminal': () => 'No result can be reached: every decision would fail.',
  'unknown-sub-rule': ({ quoted }) => `There is no sub-rule “${quoted.find((name) => name !== 'sub_rules') ?? ''}”.`,
  'sub-rule-cycle': () => 'This sub-rule would use itself.',
  'undeclared-field': ({ quoted: [field = '', nearest] }) =>
    `The contract has no field “${field}”.${nearest === undefined ? '' : ` Did you mean “${nearest}”?`}`,
  'undeclared-code': ({ quoted: [code = '', nearest] }) =>
    `The contract has no result “${code}”.${nearest === undefined ? '' : ` Did you mean “${nearest}”?`}`,
  'missing-output': ({ quoted: [name = '', code = ''] }) =>
    `The contract promises “${name}” for ${code}. It is not set here.`,
  'undeclared-output': ({ quoted: [name = '', code = ''] }) => `The contract has no output “${name}” for ${code}.`,
  'empty-expression': () => 'This is still empty.',
  'empty-name': () => 'The name is missing.',
  'unset-variable': ({ quoted: [name = '', nearest] }) =>
    `Nothing sets ${name}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
  'duplicate-id': ({ quoted: [id = ''] }) => `The id “${id}” is used twice.`,
  'repeated-name': ({ quoted: [name = ''] }) => `The name “${name}” is used twice.`,
  'bad-path': ({ quoted: [found = ''] }) =>
    `“${found}” is not a field. A field is written like order.total: letters, digits and _, with dots between the parts.`,
  'bad-name': ({ message }) => message,
  'unused-sub-rule': ({ quoted: [name = ''] }) => `No step uses the sub-rule “${name}”.`,
  'no-actions': () => 'This step does nothing yet.',
}
