import { Type } from 'typebox'
import { Ruleset } from '../drafts/model.ts'
import { Problem } from '../../resources/draft-problem.ts'

/** Maximum size of an imported document in bytes. */
export const IMPORT_BYTES = 50 * 1024 * 1024

/** A JSON document of another format; each format has its own schema. */
export const ImportDocument = Type.Unknown({
  title: 'ImportDocument',
  examples: [
    {
      nodes: [
        { id: 'in', type: 'inputNode', name: 'request' },
        { id: 'out', type: 'outputNode', name: 'response' },
      ],
      edges: [{ id: 'e1', sourceId: 'in', targetId: 'out' }],
    },
  ],
  description: 'the document as it is, by its content type',
})

const Severity = Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')], {
  description:
    '`error`: a part is missing; `warning`: it may decide differently for some inputs; `info`: the same decision in another form',
})

const Loss = Type.Object({ ...Problem.properties, severity: Severity }, { title: 'Loss' })

const Lost = Type.Array(Loss, {
  description: 'what could not be carried over exactly, with its place in the document',
})

/** The report of an import; `importReport` of @engine/interchange. */
const Report = Type.Object(
  {
    summary: Type.Object({
      documents: Type.Integer(),
      ready: Type.Integer(),
      review: Type.Integer(),
      refused: Type.Integer(),
      cases: Type.Integer({ description: 'executed ones' }),
      failed: Type.Integer(),
    }),
    documents: Type.Array(
      Type.Object({
        document: Type.String({ description: 'empty: the body' }),
        verdict: Type.Union([Type.Literal('ready'), Type.Literal('review'), Type.Literal('refused')], {
          description:
            '`ready`: nothing but information is reported, and every case passed; `review`: read the warnings and the failed cases first; `refused`: a part is missing',
        }),
        rulesets: Type.Array(Type.String()),
        cases: Type.Array(
          Type.Object({
            ruleset: Type.String(),
            name: Type.String(),
            passed: Type.Boolean(),
            failures: Type.Array(Type.String()),
          }),
          { description: 'that came with the document; not run where it is refused' },
        ),
      }),
    ),
    reasons: Type.Array(
      Type.Object({
        severity: Severity,
        code: Type.String(),
        count: Type.Integer(),
        places: Type.Array(
          Type.Object({
            document: Type.String(),
            path: Type.String(),
            message: Type.String(),
            line: Type.Optional(Type.Integer()),
            column: Type.Optional(Type.Integer()),
          }),
          { description: 'the first 100' },
        ),
      }),
      { description: 'the losses by kind: errors, warnings, information' },
    ),
  },
  { title: 'ImportReport' },
)

/** Rulesets converted from a document of another engine. Nothing is stored. */
export const ImportedRulesets = Type.Object(
  {
    rulesets: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          ruleset: Ruleset,
          cases: Type.Optional(
            Type.Array(Type.Unknown(), { description: 'the tests of the document, as cases of a suite' }),
          ),
          contract: Type.Optional(Type.Unknown({ description: 'the schemas of the document' })),
        },
        { title: 'ImportedRuleset' },
      ),
    ),
    lost: Lost,
    report: Report,
  },
  { title: 'ImportedRulesets' },
)

/** A ruleset converted to the format of another engine, with the parts that this format cannot express. */
export const ExportedRuleset = Type.Object(
  { document: Type.Unknown({ description: 'of the format: JSON, or the text of XML' }), lost: Lost },
  { title: 'ExportedRuleset' },
)
