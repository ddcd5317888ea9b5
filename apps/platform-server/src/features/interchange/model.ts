import { Type } from 'typebox'
import { Ruleset } from '../drafts/model.ts'
import { Problem } from '../../resources/draft-problem.ts'

/** Maximum size of an imported document in bytes. */
export const IMPORT_BYTES = 50 * 1024 * 1024

/** A JSON document of another format; each format has its own schema. */
export const ImportDocument = Type.Unknown({
  title: 'ImportDocument',
  description: 'the document as it is, by its content type',
})

const Lost = Type.Array(Problem, {
  description:
    'what could not be carried over exactly, with its place in the document: with severity `error` a part is missing, with `warning` it may decide differently for some inputs',
})

/** Rulesets converted from a document of another engine. Nothing is stored. */
export const ImportedRulesets = Type.Object(
  {
    rulesets: Type.Array(Type.Object({ name: Type.String(), ruleset: Ruleset }, { title: 'ImportedRuleset' })),
    lost: Lost,
  },
  { title: 'ImportedRulesets' },
)

/** A ruleset converted to the format of another engine, with the parts that this format cannot express. */
export const ExportedRuleset = Type.Object(
  { document: Type.Unknown({ description: 'of the format: JSON, or the text of XML' }), lost: Lost },
  { title: 'ExportedRuleset' },
)
