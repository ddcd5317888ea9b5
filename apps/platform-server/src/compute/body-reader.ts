import { decodeDraft, draftOf, type DraftRuleset } from '@engine/authoring'
import { isObject, parseJson, stringifyJson, type Value } from '@engine/expression'
import { bodyValues } from '../http/body-values.ts'
import { mayBeUnsupported, unsupportedTextIn } from '../database/unsupported-text.ts'
import { foremost } from './check.ts'
import type { LargeDraft, LargeText } from './large-draft.ts'
import { namesUsed } from './referenced-names.ts'
import type { ReadResult, ReadTask } from './tasks.ts'

/** Reads a body, on a thread; its draft becomes text in stored form. */
export function readBody({ text, draft: { name: member, format } }: ReadTask): ReadResult {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', values: bodyValues(), numbers: 'exact' })
  if (parsed.kind === 'failed') return { kind: 'not-json', problem: parsed.problem }
  const body = parsed.value
  const unstorable = mayBeUnsupported(text) ? unsupportedTextIn(body) : undefined
  if (unstorable !== undefined) return { kind: 'unstorable', ...unstorable }
  if (!isObject(body) || !Object.hasOwn(body, member)) return { kind: 'read', body }
  const { [member]: sent = null, ...rest } = body
  // The schema of the body refuses a draft that is not an object, and names its path.
  return isObject(sent) ? { kind: 'read', body: rest, draft: read(sent, format) } : { kind: 'read', body }
}

function read(sent: Value, format: ReadTask['draft']['format']): Pick<LargeDraft, 'read' | 'problems'> {
  const { draft, problems: all } = format === 'editor' ? decodeDraft(sent) : draftOf(sent)
  const problems = foremost(all)
  if (draft === undefined) return { read: undefined, problems }
  const { name, version, description, contract, intended } = draft.config
  const config = {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    ...(contract !== undefined && { contract }),
    ...(intended !== undefined && { intended }),
  }
  return { read: { ...textOf(draft), config, uses: namesUsed(draft) }, problems }
}

const START = '{"config":{"intended":'

/** The list of intended findings, to which a save adds their authors, comes first. */
function textOf(draft: DraftRuleset): LargeText {
  const { config, ...rest } = draft
  const { intended, ...others } = config
  if (intended === undefined) return { text: stringifyJson(draft) }
  const head = `${START}${stringifyJson(intended)}`
  // Both objects have a member: the name, and the steps.
  const text = `${head},${stringifyJson(others).slice(1)},${stringifyJson(rest).slice(1)}`
  return { text, intendedAt: [START.length, head.length] }
}
