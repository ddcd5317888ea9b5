import { type Completion, type CompletionContext, type CompletionResult, snippet } from '@codemirror/autocomplete'
import type { FunctionEntry } from '../language/tasks.ts'

/** A field that expressions may read. */
export interface KnownField {
  readonly path: string
  readonly type: string
  readonly description: string
  readonly values: readonly string[]
}

/** The names known to completion and hints. */
export interface Known {
  readonly fields: readonly KnownField[]
  /** Names without `$`. */
  readonly variables: readonly string[]
  readonly functions: readonly FunctionEntry[]
  /** True if no contract restricts the fields. */
  readonly isOpen?: boolean
}

/** Characters before the cursor that are searched for a comparison: the search takes superlinear time. */
const CONTEXT_CHARACTERS = 250
/** After `field ==` or `field in [`: the possible values of the field. */
const COMPARED = /([\p{ID_Start}_][\p{ID_Continue}.]*)\s*(?:==|!=|in|not in)\s*\[?[^\]]*$/u

/** Fields, variables, functions and values that match the typed text. */
export function completions(
  { fields, variables, functions }: Known,
  context: CompletionContext,
): CompletionResult | null {
  const typed = context.matchBefore(/[$\p{ID_Start}_][\p{ID_Continue}.]*$/u)
  if (typed === null && !context.explicit) return null
  const from = typed?.from ?? context.pos
  const compared = COMPARED.exec(context.state.doc.sliceString(Math.max(0, from - CONTEXT_CHARACTERS), from))?.[1]
  const values = fields.find(({ path }) => path === compared)?.values ?? []
  const isPath = typed?.text.includes('.') === true
  const options: readonly Completion[] = [
    ...values.map((label) => ({ label, type: 'enum', boost: 5 })),
    ...fields.map(({ path, type, description }) => ({
      label: path,
      type: 'property',
      detail: type,
      info: description,
      boost: 2,
    })),
    ...variables.map((name) => ({
      label: `$${name}`,
      type: 'variable',
      boost: typed?.text.startsWith('$') === true ? 4 : 1,
    })),
    ...(isPath ? [] : functions.map(functionOption)),
  ]
  return { from, options, validFor: /^[$\p{ID_Continue}.]*$/u }
}

const functionOption = ({ name, signature, returns, summary, example }: FunctionEntry): Completion => ({
  label: name,
  type: 'function',
  detail: returns,
  info: `${signature}\n${summary}\n${example}`,
  apply: snippet(`${name}(\${})`),
})
