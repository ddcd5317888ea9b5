import type { Value } from '@engine/expression'
import { type Static, Type } from 'typebox'
import { RECORD } from '../../resources/resource-fields.ts'
import { Problem } from '../../resources/draft-problem.ts'

/** Any JSON value. */
const JsonValue = Type.Unsafe<Value>({})
/** Facts, concepts and contracts are named in types and paths, not displayed as titles. */
const Name = Type.String({ minLength: 1, maxLength: 200 })
/** A concept is named in types, such as `array<concept:address>`, and becomes a type in generated code. */
const ConceptName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,127}$' })
const TypeName = Type.String({
  minLength: 1,
  maxLength: 500,
  description: '`string`, `number`, `integer`, `decimal`, `boolean`, `object`, `any`, `array<…>` or `concept:<name>`',
})
const Text = Type.String({ maxLength: 2000 })
const Version = Type.String({ maxLength: 100, description: 'a semantic version' })

/** Maximum number of items in one list; lists that take longer to process have lower limits. */
const MAX = { fields: 5000, codes: 1000, values: 1000, tags: 100 } as const

const TypedField = Type.Object(
  { name: Name, type: TypeName, description: Type.Optional(Text) },
  { title: 'TypedField' },
)
const TypedFields = Type.Array(TypedField, { maxItems: MAX.fields })

const UsedBy = Type.Array(
  Type.Object({
    kind: Type.Union([Type.Literal('contract'), Type.Literal('concept'), Type.Literal('fact')]),
    name: Type.String(),
  }),
  { description: 'what would change with it' },
)

/** The resources that refer to a fact or concept by name: they block its deletion. */
export type UsedBy = Static<typeof UsedBy>

const Migrations = Type.Array(Type.Object({ contract: Type.String(), field: Type.String() }), {
  description: 'fields of contracts that the change has flagged',
})

/** The contract fields that a change of a fact or concept has flagged for an adaptation. */
export type Migrations = Static<typeof Migrations>

const fact = {
  name: Type.String({ minLength: 1, maxLength: 200, description: 'a dotted path' }),
  type: TypeName,
  description: Type.Optional(Text),
  example: Type.Optional(JsonValue),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: MAX.tags })),
}

/** A fact to create: a named input of the project's rules, with its type (specification 2.9). */
export const FactRequest = Type.Object(fact, {
  title: 'FactRequest',
  examples: [{ name: 'customer.tier', type: 'string', description: 'Loyalty tier', example: 'gold' }],
})
export type FactRequest = Static<typeof FactRequest>

/** Replaces a fact. A fact is never renamed: `name`, where given, equals the name in the path. */
export const FactChange = Type.Object(
  { ...fact, name: Type.Optional(fact.name) },
  { title: 'FactChange', examples: [{ type: 'string', description: 'Loyalty tier', tags: ['customer'] }] },
)
export type FactChange = Static<typeof FactChange>

const shownFact = {
  ...RECORD,
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  example: Type.Optional(JsonValue),
  tags: Type.Array(Type.String()),
  used_by: UsedBy,
}

/** A fact with the resources that use it. */
export const Fact = Type.Object(shownFact, { title: 'Fact' })
export type Fact = Static<typeof Fact>

/** Response to a change of a fact, with the contract fields that the change has flagged. */
export const ChangedFact = Type.Object({ ...shownFact, migrations: Migrations }, { title: 'ChangedFact' })

const Integer = (description: string) => Type.Integer({ minimum: 1, description })
const FieldPlace = Type.Object(
  {
    step_id: Type.Optional(Type.String()),
    path: Type.String({ description: 'JSON pointer into the ruleset' }),
    reads: Type.String({ description: 'the path that is read: the fact, a part of it, or an object that contains it' }),
    line: Integer('one-based, in the text at `path`'),
    column: Integer('one-based, in UTF-16 units'),
    length: Integer('in UTF-16 units'),
  },
  { title: 'FieldPlace' },
)
const RulesetUsage = Type.Object(
  {
    name: Type.String(),
    seq: Integer('of its last save'),
    contract: Type.Union([Type.String(), Type.Null()], {
      description: 'its contract where this uses the fact; null: its expressions alone do',
    }),
    places: Type.Array(FieldPlace, { description: 'the first 100' }),
    place_count: Type.Union([Type.Integer(), Type.Null()], {
      description: 'of all places; null: the ruleset is too large to be looked at',
    }),
    problems: Type.Array(Problem, { description: 'the first 100 that the type in the query would add' }),
  },
  { title: 'RulesetUsage' },
)

/** Where one ruleset reads a fact, and the problems that another type of the fact would cause there. */
export type RulesetUsage = Static<typeof RulesetUsage>

/** Where a fact is used: in contracts, and in the expressions of rulesets as last saved. */
export const FactUsage = Type.Object(
  {
    contracts: Type.Array(Type.Object({ name: Type.String(), fields: Type.Array(Type.String()) }), {
      description: 'with their fields of this name or below; a change of type flags them',
    }),
    items: Type.Array(RulesetUsage, { description: 'rulesets by name, as they were saved last' }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'null: all rulesets were looked at; a page may be short although more follow',
    }),
  },
  { title: 'FactUsage' },
)
export type FactUsage = Static<typeof FactUsage>

const concept = { name: ConceptName, fields: TypedFields }

/** A concept to create: an object type with named fields, which types refer to as `concept:<name>`. */
export const ConceptRequest = Type.Object(concept, {
  title: 'ConceptRequest',
  examples: [{ name: 'Address', fields: [{ name: 'country', type: 'string' }] }],
})
export type ConceptRequest = Static<typeof ConceptRequest>

/** Replaces a concept. `name`, where given, equals the name in the path. */
export const ConceptChange = Type.Object(
  { ...concept, name: Type.Optional(ConceptName) },
  {
    title: 'ConceptChange',
    examples: [
      {
        fields: [
          { name: 'country', type: 'string' },
          { name: 'city', type: 'string' },
        ],
      },
    ],
  },
)
export type ConceptChange = Static<typeof ConceptChange>

const shownConcept = { ...RECORD, name: Type.String(), fields: Type.Array(TypedField), used_by: UsedBy }

/** A concept with the resources that use it. */
export const Concept = Type.Object(shownConcept, { title: 'Concept' })
export type Concept = Static<typeof Concept>

/** Response to a change of a concept, with the contract fields that the change has flagged. */
export const ChangedConcept = Type.Object({ ...shownConcept, migrations: Migrations }, { title: 'ChangedConcept' })

const Field = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 500, description: 'a dotted path' }),
    type: TypeName,
    description: Type.Optional(Text),
    required: Type.Optional(Type.Boolean()),
    default: Type.Optional(JsonValue),
    enum: Type.Optional(Type.Array(JsonValue, { maxItems: MAX.values })),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    digits: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 34, description: 'of a `decimal`, `decimals` included' }),
    ),
    decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 34, description: 'digits after the point' })),
    sensitive: Type.Optional(Type.Boolean({ description: 'masked where inputs are recorded' })),
  },
  { title: 'Field' },
)
const content = {
  description: Type.Optional(Text),
  input: Type.Object({ fields: Type.Array(Field, { maxItems: MAX.fields }) }),
  outputs: Type.Array(
    Type.Object({
      code: Type.String({ minLength: 1, maxLength: 200 }),
      description: Type.Optional(Text),
      fields: TypedFields,
    }),
    { maxItems: MAX.codes },
  ),
}
const contract = { name: Name, version: Version, ...content }

/** A contract to create: the inputs that a ruleset accepts and the outputs that it returns by result code. */
export const ContractRequest = Type.Object(contract, {
  title: 'ContractRequest',
  examples: [
    {
      name: 'adult-check',
      version: '1.0.0',
      input: { fields: [{ name: 'age', type: 'number', required: true, minimum: 0 }] },
      outputs: [
        { code: 'ADULT', fields: [] },
        { code: 'MINOR', fields: [] },
      ],
    },
  ],
})
export type ContractRequest = Static<typeof ContractRequest>

/** Replaces a contract. `name`, where given, equals the name in the path. */
export const ContractChange = Type.Object(
  { ...contract, name: Type.Optional(Name) },
  {
    title: 'ContractChange',
    examples: [
      {
        version: '1.0.1',
        input: { fields: [{ name: 'age', type: 'number', required: true, minimum: 0 }] },
        outputs: [
          { code: 'ADULT', fields: [] },
          { code: 'MINOR', fields: [] },
        ],
      },
    ],
  },
)
export type ContractChange = Static<typeof ContractChange>

const shownContract = {
  ...RECORD,
  name: Type.String(),
  version: Type.String(),
  ...content,
  needs_migration: Type.Boolean({
    description: 'until its next change, or until its facts and concepts have their earlier types again',
  }),
  migrations: Type.Array(Type.Object({ field: Type.String(), reason: Type.String() })),
}

/** A contract with its fields that await migration after a change of their facts or concepts. */
export const Contract = Type.Object(shownContract, { title: 'Contract' })
export type Contract = Static<typeof Contract>

const Breaks = Type.Array(
  Type.Object({
    path: Type.String({ description: 'JSON pointer into the contract; for removed parts into the earlier version' }),
    message: Type.String(),
  }),
)

/** Response to a change of a contract: `breaks` lists the places where callers of the earlier version would fail. */
export const ChangedContract = Type.Object(
  { ...shownContract, breaking: Type.Boolean(), breaks: Breaks },
  { title: 'ChangedContract' },
)
export type ChangedContract = Static<typeof ChangedContract>

/** A contract without its stored metadata, as derived from a ruleset and as sent for a check. */
export const ContractDocument = Type.Object(contract, {
  title: 'ContractDocument',
  examples: [
    {
      name: 'adult-check',
      version: '1.0.0',
      input: { fields: [{ name: 'age', type: 'number', required: true, minimum: 0 }] },
      outputs: [
        { code: 'ADULT', fields: [] },
        { code: 'MINOR', fields: [] },
      ],
    },
  ],
})

/** Compares a contract with its stored version; `bump` is the part of the semantic version that has to rise. */
export const ContractVerdict = Type.Object(
  {
    breaking: Type.Boolean(),
    breaks: Breaks,
    bump: Type.Union([Type.Literal('major'), Type.Literal('minor'), Type.Literal('patch'), Type.Literal('none')]),
  },
  { title: 'ContractVerdict' },
)

/** Derives a contract from a ruleset's expressions and, where given, from sample inputs. */
export const DeriveRequest = Type.Object(
  {
    ruleset: Type.String({ description: 'name of the ruleset' }),
    inputs: Type.Optional(Type.Array(JsonValue, { maxItems: 10_000, description: 'samples' })),
  },
  { title: 'DeriveRequest', examples: [{ ruleset: 'adult-check', inputs: [{ age: 20 }] }] },
)
