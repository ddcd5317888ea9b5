import { stringifyJson, type Value } from '@engine/expression'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVectors } from './vectors.testing.ts'

/* Writes `vectors.json`, after a change of the formats or of the rows: `node tests/receipts/make-vectors.ts`. */

const { about, keys, ...tables } = createVectors()
const text = (value: unknown) => stringifyJson(value as Value)
const written = Object.entries(tables).map(
  ([name, rows]) => `${text(name)}: [\n${rows.map((row: unknown) => text(row)).join(',\n')}\n]`,
)
const members = [`"about": ${text(about)}`, `"keys": ${text(keys)}`, ...written]
writeFileSync(join(import.meta.dirname, 'vectors.json'), `{\n${members.join(',\n')}\n}\n`)
