import { draftOf, type DraftRuleset, withContractDefaults } from '@engine/authoring'
import { jsonValue, type Value } from '@engine/expression'
import {
  type Exported,
  fromCsv,
  fromDmn,
  fromJdm,
  fromJsonRulesEngine,
  fromXlsx,
  type Imported,
  toDmn,
  toJdm,
  TooLarge,
} from '@engine/interchange'
import { unstorableIn } from '../http/unstorable.ts'
import type { ExportFormat, ExportTask, ImportFormat, ImportTask, Results } from './tasks.ts'

/** How the document of each format is read: JSON as its value, a text as it is, bytes as a text of one character each. */
const READERS: { readonly [Format in ImportFormat]: (document: Value, name: string | undefined) => Imported } = {
  engine: fromEngine,
  jdm: fromJdm,
  dmn: (document, name) => fromDmn(textOf(document), name),
  'json-rules-engine': fromJsonRulesEngine,
  csv: (document, name) => fromCsv(textOf(document), name),
  xlsx: (document, name) => fromXlsx(Buffer.from(textOf(document), 'latin1'), name),
}

// INVARIANT: the route takes nothing else for these formats.
const textOf = (document: Value) => (typeof document === 'string' ? document : '')

/** Reads a document of another format. One that has more than is read is a result, too. */
export function imported({ format, document, name }: ImportTask): Results['import'] {
  try {
    const found = READERS[format](document, name)
    const [unstorable] = found.rulesets.flatMap(({ ruleset }) => unstorableIn(ruleset) ?? [])
    return { kind: 'imported', imported: found, unstorable }
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'too-large', message: error.message }
    throw error
  }
}

/** How a draft is written in each format. */
const WRITERS: {
  readonly [Format in ExportFormat]: (draft: DraftRuleset, subRules: ExportTask['subRules']) => Exported<Value>
} = {
  dmn: (draft) => toDmn(draft),
  jdm: toJdm,
}

/** Writes a draft in another format, with the defaults of its contract. */
export function exported({ format, draft: text, subRules, contract }: ExportTask): Results['export'] {
  const draft = jsonValue(text) as unknown as DraftRuleset
  return WRITERS[format](contract === undefined ? draft : withContractDefaults(draft, contract), subRules)
}

/** A document of the engine's own format; what the editor has no form for is lost. */
function fromEngine(document: Value, name: string | undefined): Imported {
  const { draft, problems } = draftOf(document)
  if (draft === undefined) return { rulesets: [], lost: problems }
  const own = name ?? draft.config.name
  const ruleset = { ...draft, config: { ...draft.config, name: own } }
  return { rulesets: [{ name: own, ruleset }], lost: problems }
}
