import { draftOf, type DraftRuleset, withContractDefaults } from '@engine/authoring'
import { parseJson, type Value } from '@engine/expression'
import {
  type Exported,
  fromCsv,
  fromDmn,
  fromJdm,
  fromJsonRulesEngine,
  fromXlsx,
  type Imported,
  importReport,
  toDmn,
  toJdm,
  TooLarge,
} from '@engine/interchange'
import { bodyValues } from '../http/body-values.ts'
import { utf8In } from './utf8.ts'
import { mayBeUnsupported, unsupportedTextIn } from '../database/unsupported-text.ts'
import { HOST } from './sandbox-host.ts'
import type { ExportFormat, ExportTask, ImportFormat, ImportOptions, ImportTask, Results } from './tasks.ts'
import { draftOfText } from './draft-of-text.ts'

type Unread = Exclude<Results['import'], { readonly kind: 'imported' }>

type Reader = (bytes: Uint8Array, name: string | undefined, options: ImportOptions) => Imported | Unread

/** The readers of documents, by format. */
const READERS: { readonly [Format in ImportFormat]: Reader } = {
  engine: ofJson(fromEngine),
  jdm: ofJson(fromJdm),
  dmn: ofText(fromDmn),
  'json-rules-engine': ofJson(fromJsonRulesEngine),
  csv: ofText((text, name) => fromCsv(text, name)),
  xlsx: (bytes, name) => fromXlsx(bytes, name),
}

/** A reader of a text in UTF-8. */
function ofText(read: (text: string, name: string | undefined, options: ImportOptions) => Imported | Unread): Reader {
  return (bytes, name, options) => {
    const text = utf8In(bytes)
    return text === undefined ? { kind: 'not-text' } : read(text, name, options)
  }
}

/** A reader of the value of a JSON text. */
function ofJson(read: (document: Value, name: string | undefined, options: ImportOptions) => Imported): Reader {
  return ofText((text, name, options) => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse', values: bodyValues(), numbers: 'document' })
    if (parsed.kind === 'failed') return { kind: 'not-json', problem: parsed.problem }
    const unstorable = mayBeUnsupported(text) ? unsupportedTextIn(parsed.value) : undefined
    return unstorable === undefined ? read(parsed.value, name, options) : { kind: 'unstorable', ...unstorable }
  })
}

/** Reads a document of another format. A document that exceeds the limits is also a result. */
export async function imported({ format, bytes, name, options }: ImportTask): Promise<Results['import']> {
  try {
    const found = READERS[format](bytes, name, options)
    if ('kind' in found) return found
    const [unstorable] = found.rulesets.flatMap(({ ruleset }) => unsupportedTextIn(ruleset) ?? [])
    const report = await importReport([{ document: '', imported: found }], HOST)
    return { kind: 'imported', imported: found, report, unstorable }
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'too-large', message: error.message }
    throw error
  }
}

/** The writers of drafts, by format. */
const WRITERS: {
  readonly [Format in ExportFormat]: (draft: DraftRuleset, subRules: ExportTask['subRules']) => Exported<Value>
} = {
  dmn: (draft) => toDmn(draft),
  jdm: toJdm,
}

/** Writes a draft in another format, with the defaults of its contract. */
export function exported({ format, draft: text, subRules, contract }: ExportTask): Results['export'] {
  const draft = draftOfText(text)
  return WRITERS[format](contract === undefined ? draft : withContractDefaults(draft, contract), subRules)
}

/** A document in the engine's own format. Parts that the editor cannot represent are lost. */
function fromEngine(document: Value, name: string | undefined): Imported {
  const { draft, problems } = draftOf(document)
  if (draft === undefined) return { rulesets: [], lost: problems }
  const own = name ?? draft.config.name
  const ruleset = { ...draft, config: { ...draft.config, name: own } }
  return { rulesets: [{ name: own, ruleset }], lost: problems }
}
