import { INTENDED_FINDINGS } from '@engine/authoring'
import { type Static, Type } from 'typebox'
import { BASE, CHANGE, REPORT } from '../../resources/analysis.ts'
import { Problem } from '../../resources/draft-problem.ts'
import { Id, orNull, Time } from '../../resources/resource-fields.ts'

/** A sequence number of a save, within the database's integer range. */
const Seq = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description })

/** The optimistic lock of saves: a save based on another sequence number is refused, or merged by the editor. */
export const ExpectedSeq = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: '`seq` of the draft that the change is based on; 409 if it is outdated',
})

/** A ruleset in the editor format. `@engine/authoring` decodes it and reports its problems. */
export const Ruleset = Type.Object(
  {},
  { title: 'Ruleset', additionalProperties: true, description: 'in the format of the editor' },
)
const EngineRuleset = Type.Object({}, { additionalProperties: true, description: 'in the format of engines' })

const Problems = Type.Array(Problem, { description: 'those of severity `error` block publishing' })

/** One save of a ruleset, with the problems that it has now: facts and contracts may have changed since. */
export const Draft = Type.Object(
  {
    name: Type.String(),
    ruleset: Ruleset,
    seq: Seq('of this save'),
    updated_at: Time('of this save'),
    updated_by: Type.String({ description: 'id of the user or key' }),
    problems: Problems,
  },
  { title: 'Draft' },
)

const Live = Type.Object({
  environment: Type.String(),
  version: Type.String(),
  digest: Type.String(),
  release_id: orNull(Id),
  release_number: orNull(Type.Integer({ description: 'of the release; null: it was published' })),
  seq: orNull(Type.Integer({ description: 'of the newest save with this content; null: no longer known' })),
  since: Time('since which it is live'),
})

/** A ruleset in the list of a project, without its steps. */
export const DraftItem = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    description: Type.String(),
    seq: Seq('of the last save'),
    updated_at: Time('of the last save'),
    updated_by: Type.String({ description: 'id of the user or key of the last save' }),
    live: Type.Array(Live, { description: 'where it decides, and in which version' }),
  },
  { title: 'DraftItem' },
)

/** Saves a ruleset in any state: problems do not block a save, only its publication. */
export const SaveRequest = Type.Object(
  { ruleset: Ruleset, expected_seq: ExpectedSeq },
  {
    title: 'SaveRequest',
    examples: [
      {
        ruleset: {
          config: { name: 'adult-check', version: '1.0.0' },
          startStepId: 'age',
          steps: [
            {
              id: 'age',
              name: 'Adult?',
              type: 'decision',
              branches: [{ id: 'b1', condition: 'age >= 18', nextStepId: 'adult' }],
              defaultNextStepId: 'minor',
            },
            { id: 'adult', type: 'terminal', code: 'ADULT' },
            { id: 'minor', type: 'terminal', code: 'MINOR' },
          ],
        },
        expected_seq: 0,
      },
    ],
    description: '`expected_seq` 0: it is new',
  },
)

const Intended = Type.Array(
  Type.Object({
    finding: Type.Enum([...INTENDED_FINDINGS]),
    place: Type.String(),
    reason: Type.String(),
    author: Type.Optional(Type.String({ description: 'who acknowledged it first' })),
    at: Type.Optional(Time('of the save that acknowledged it')),
  }),
  { description: '`config.intended` as it was stored: each finding with author and time' },
)

/** Response to a save, with the sequence number that the next save expects. */
export const Saved = Type.Object(
  {
    seq: Seq('of the new save'),
    updated_at: Time('of the new save'),
    problems: Problems,
    intended: Type.Optional(Intended),
  },
  { title: 'Saved' },
)

/** A ruleset that is validated or converted without being stored. */
export const RulesetRequest = Type.Object(
  { ruleset: Ruleset },
  {
    title: 'RulesetRequest',
    examples: [
      {
        ruleset: {
          config: { name: 'adult-check', version: '1.0.0' },
          startStepId: 'age',
          steps: [
            {
              id: 'age',
              name: 'Adult?',
              type: 'decision',
              branches: [{ id: 'b1', condition: 'age >= 18', nextStepId: 'adult' }],
              defaultNextStepId: 'minor',
            },
            { id: 'adult', type: 'terminal', code: 'ADULT' },
            { id: 'minor', type: 'terminal', code: 'MINOR' },
          ],
        },
      },
    ],
  },
)

/** The problems of a ruleset that was not stored. */
export const Validated = Type.Object({ problems: Problems }, { title: 'Validated' })

/** A ruleset in the form that engines execute (specification 2). */
export const Converted = Type.Object({ ruleset: EngineRuleset }, { title: 'Converted' })

/** The name is validated by a function of the engine, whose error names the invalid character. */
const NewName = Type.String({ maxLength: 1000 })

/** The name of the copy; the copy begins its own history of saves. */
export const DuplicateRequest = Type.Object(
  { name: NewName },
  { title: 'DuplicateRequest', examples: [{ name: 'adult-check-2' }] },
)

/** Renames a ruleset, as a new save. Live versions keep the earlier name. */
export const RenameRequest = Type.Object(
  { name: NewName, expected_seq: Type.Optional(ExpectedSeq) },
  { title: 'RenameRequest', examples: [{ name: 'age-check', expected_seq: 3 }] },
)

/** Makes an earlier save the newest one; the saves in between are kept. */
export const RestoreSaveRequest = Type.Object(
  { expected_seq: ExpectedSeq },
  { title: 'RestoreSaveRequest', examples: [{ expected_seq: 3 }] },
)

/** Metadata of one save in the history of a ruleset. */
export const Save = Type.Object(
  { seq: Seq(''), at: Time(''), by: Type.String({ description: 'id of the user or key' }) },
  { title: 'Save' },
)

/** The analysis of a save, and its differences from the live contents. */
export const SaveAnalysis = Type.Object(
  {
    seq: Seq('of the save'),
    ...REPORT,
    impacts: Type.Array(Type.Object({ environment: Type.String(), base: BASE, ...CHANGE }), {
      description: 'environments where the ruleset is live',
    }),
  },
  { title: 'SaveAnalysis' },
)

/** Publishes a save to an environment that requires no release; one of the two members names it. */
export const PublishRequest = Type.Object(
  {
    environment: Type.Optional(Type.String({ maxLength: 100, description: 'id or name' })),
    environment_id: Type.Optional(Type.String({ maxLength: 100, description: 'the same' })),
    seq: Type.Optional(Seq('the save that is published; default: the last one')),
    release_note: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  { title: 'PublishRequest', examples: [{ environment: 'dev', seq: 3, release_note: 'lower age limit' }] },
)
export type PublishRequest = Static<typeof PublishRequest>

/** A publication with its delivery status over all engines of the environment. */
export const Deployment = Type.Object(
  {
    id: Id,
    ruleset_name: Type.String(),
    environment: Type.String(),
    version: Type.String(),
    seq: Type.Integer(),
    digest: Type.String(),
    status: Type.Union([Type.Literal('queued'), Type.Literal('success'), Type.Literal('failed')], {
      description:
        '`success`: each engine of the environment has it; `failed`: one refuses it, or it was replaced before that',
    }),
    release_note: Type.String(),
    deployed_by: Type.String({ description: 'id of the user or key' }),
    deployed_at: Time('of publishing'),
  },
  { title: 'Deployment' },
)
export type Deployment = Static<typeof Deployment>
