import { Type } from 'typebox'

const KnownInput = Type.Object({}, { description: 'values known at query time; every other field is a column' })
const FieldMapping = Type.Record(Type.String(), Type.String(), {
  description: 'field path to column; default: the path with `_` for each `.`',
})

/** Request of `POST /rulesets/:name/filter`: specification 4.3, and from `nulls` on what we add. */
export const FilterRequest = Type.Object({
  known_input: KnownInput,
  target_results: Type.Array(Type.String(), { minItems: 1, description: 'result codes that count as a match' }),
  format: Type.Optional(Type.Enum(['sql', 'json', 'mongo'], { default: 'sql' })),
  field_mapping: Type.Optional(FieldMapping),
  max_paths: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 100, description: '0 is unlimited' }),
  ),
  nulls: Type.Optional(
    Type.Enum(['sql', 'match_rules'], {
      default: 'sql',
      description: '`match_rules` writes what the rules say of null, so that the rows are exactly those they mean',
    }),
  ),
  not_null: Type.Optional(Type.Array(Type.String(), { description: 'columns that hold no null' })),
  dialect: Type.Optional(
    Type.Enum(['ansi', 'postgres', 'mysql', 'sqlite', 'clickhouse', 'duckdb'], {
      default: 'ansi',
      description: '`sql` only',
    }),
  ),
  parameters: Type.Optional(
    Type.Boolean({ default: false, description: '`sql` only: placeholders, and their values in `params`' }),
  ),
})

/** Answer of `POST /rulesets/:name/filter`. */
export const FilterResult = Type.Object({
  format: Type.Enum(['sql', 'json', 'mongo']),
  filter: Type.Union([Type.String(), Type.Object({}), Type.Null()], { description: 'null: no row can match' }),
  always_matches: Type.Boolean(),
  never_matches: Type.Boolean(),
  truncated: Type.Boolean({ description: 'the rules were not followed to their end: every row passes' }),
  unknown_fields: Type.Array(Type.String()),
  exactness: Type.Enum(['exact', 'superset', 'subset']),
  reasons: Type.Optional(Type.Array(Type.String(), { description: 'why it is not exact' })),
  params: Type.Optional(Type.Array(Type.Unknown())),
})

/** Request of `POST /rulesets/:name/sql`. */
export const SqlRequest = Type.Object({
  dialect: Type.Enum(['postgres', 'duckdb', 'clickhouse', 'spark', 'trino']),
  table: Type.Optional(Type.String({ default: 'input', description: 'whose rows are decided about' })),
  field_mapping: Type.Optional(FieldMapping),
  known_input: Type.Optional(KnownInput),
})

/** Answer of `POST /rulesets/:name/sql`. */
export const SqlResult = Type.Object({
  dialect: Type.String(),
  sql: Type.String({ description: 'one SELECT: the columns of the table, `code`, `message` and each output field' }),
  outputs: Type.Array(Type.String()),
  unknown_fields: Type.Array(Type.String()),
})
