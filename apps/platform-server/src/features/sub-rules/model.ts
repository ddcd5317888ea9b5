import { type Static, Type } from 'typebox'
import { RECORD, Time } from '../../resources/resource-fields.ts'

const Seq = (minimum: number, description: string) => Type.Integer({ minimum, maximum: 2_147_483_647, description })

const Graph = Type.Object(
  {},
  { additionalProperties: true, description: '`{startStepId, steps}` in the format of the editor' },
)
const Typed = { name: Type.String({ minLength: 1, maxLength: 200 }), type: Type.String({ maxLength: 200 }) }

const content = {
  version: Type.String({ maxLength: 256, description: 'a semantic version' }),
  graph: Graph,
  bindings: Type.Array(Type.Object({ ...Typed, required: Type.Optional(Type.Boolean()) }), {
    maxItems: 1000,
    description: 'its inputs, which the steps that use it bind; it sees nothing else',
  }),
  outputs: Type.Array(Type.Object(Typed), { maxItems: 1000, description: 'variables that it gives back' }),
}

const shownContent = {
  ...content,
  bindings: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), required: Type.Boolean() })),
  outputs: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
}

/** A sub-rule with the rulesets and sub-rules that use it. Its graph sees only its bindings. */
export const SubRule = Type.Object(
  {
    ...RECORD,
    name: Type.String(),
    ...shownContent,
    seq: Seq(1, 'the same as `rev`, for `expected_seq`'),
    used_by: Type.Array(
      Type.Object({
        kind: Type.Union([Type.Literal('ruleset'), Type.Literal('sub_rule')]),
        name: Type.String(),
      }),
      { description: 'whose steps use it, as they were saved last' },
    ),
  },
  { title: 'SubRule' },
)
export type SubRule = Static<typeof SubRule>

/** A sub-rule to create. */
export const SubRuleRequest = Type.Object(
  {
    name: Type.String({ maxLength: 1000 }),
    ...content,
    expected_seq: Type.Optional(Type.Integer({ minimum: 0, maximum: 0, description: '0: it is new' })),
  },
  {
    title: 'SubRuleRequest',
    examples: [
      {
        name: 'fee',
        version: '1.0.0',
        graph: {
          startStepId: 'set',
          steps: [
            { id: 'set', type: 'action', assignments: [{ name: 'fee', value: 'amount * 0.02' }], nextStepId: 'done' },
            { id: 'done', type: 'terminal', code: 'DONE' },
          ],
        },
        bindings: [{ name: 'amount', type: 'number', required: true }],
        outputs: [{ name: 'fee', type: 'number' }],
      },
    ],
  },
)

/** Replaces a sub-rule, or creates it where `expected_seq` is 0. */
export const SubRuleChange = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 1000, description: 'the name in the path' })),
    ...content,
    expected_seq: Seq(0, '`seq` of what is to be replaced; 0: it is new'),
  },
  {
    title: 'SubRuleChange',
    examples: [
      {
        version: '1.0.0',
        graph: {
          startStepId: 'set',
          steps: [
            { id: 'set', type: 'action', assignments: [{ name: 'fee', value: 'amount * 0.02' }], nextStepId: 'done' },
            { id: 'done', type: 'terminal', code: 'DONE' },
          ],
        },
        bindings: [{ name: 'amount', type: 'number', required: true }],
        outputs: [{ name: 'fee', type: 'number' }],
        expected_seq: 1,
      },
    ],
  },
)
/** The request members of a sub-rule that define it. */
export type SubRuleSent = Omit<Static<typeof SubRuleRequest>, 'name' | 'expected_seq'>

const save = {
  seq: Seq(1, 'of the save'),
  version: content.version,
  at: Time('of the save'),
  by: Type.String({ description: 'id of the user or key' }),
}

/** Metadata of one save in the history of a sub-rule. */
export const SubRuleSave = Type.Object(save, { title: 'SubRuleSave' })

/** One saved version of a sub-rule. */
export const SubRuleVersion = Type.Object(
  { name: Type.String(), ...save, ...shownContent },
  { title: 'SubRuleVersion' },
)
