import { jsonValue } from '@engine/expression'
import { leafHash, LogVerification, Malformed, parseReceiptKeys, rootByPath, verifyReceipt } from '@engine/receipts'
import { BadKey } from '@engine/signing'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemProgram } from '../programs.testing.ts'
import { createVectors, type Vectors } from './vectors.testing.ts'

/*
 * One file of vectors, two implementations: packages/receipts and tools/verify_receipt.py find the same faults in the
 * same texts.
 */

const FILE = join(import.meta.dirname, 'vectors.json')
const vectors = jsonValue(readFileSync(FILE, 'utf8')) as unknown as Vectors
const keys = parseReceiptKeys(vectors.keys)

/** Results of the implementation in Python. */
interface Found {
  readonly trees: readonly { readonly root: string; readonly byPath: readonly string[] }[]
  readonly keyFiles: readonly (readonly string[] | null)[]
  readonly receipts: readonly (readonly string[])[]
  readonly logs: readonly { readonly faults: readonly string[]; readonly anchor: number | null }[]
}

const python = (): Found =>
  jsonValue(
    execFileSync(systemProgram('python3'), [join(import.meta.dirname, 'run_vectors.py')], {
      input: JSON.stringify({ vectors: FILE }),
      encoding: 'utf8',
    }),
  ) as unknown as Found

const sorted = (codes: readonly string[]) => codes.toSorted()

const segmentNumber = (name: string) => Number(/\d+/.exec(name)?.[0])

function idsOf(text: string): readonly string[] | null {
  try {
    return [...parseReceiptKeys(text).keys()]
  } catch (error) {
    if (error instanceof Malformed || error instanceof BadKey) return null
    throw error
  }
}

function logOf(segments: Readonly<Record<string, string>>) {
  const log = new LogVerification(keys)
  const names = Object.keys(segments).sort((left, right) => segmentNumber(left) - segmentNumber(right))
  const lines = names.flatMap((name) => (segments[name] ?? '').split('\n').slice(0, -1))
  const faults = [...lines.flatMap((line) => log.line(line)), ...log.end()]
  return { faults: faults.map(({ code }) => code), anchor: log.summary.anchor ?? null }
}

test('the vectors have the current formats', () => {
  expect(vectors).toEqual(createVectors())
})

test('more than forty rows of each kind that a stranger can send are refused', () => {
  expect(vectors.receipts.filter(({ faults }) => faults.length > 0).length).toBeGreaterThanOrEqual(80)
  const others = [
    ...vectors.logs.map(({ faults }) => faults.length > 0),
    ...vectors.keyFiles.map(({ ids }) => ids === null),
  ]
  expect(others.filter(Boolean).length).toBeGreaterThanOrEqual(40)
})

describe('receipts', () => {
  test.each(vectors.receipts)('$name', ({ text, faults }) => {
    const found = verifyReceipt(text, keys)
    expect(sorted(found.faults.map(({ code }) => code))).toEqual(sorted(faults))
    for (const { message } of found.faults) expect(message).toMatch(/^[^A-Z].{8,300}[^.]$/)
  })
})

describe('logs', () => {
  test.each(vectors.logs)('$name', ({ segments, faults, anchor }) => {
    const found = logOf(segments)
    expect({ ...found, faults: sorted(found.faults) }).toEqual({ faults: sorted(faults), anchor })
  })
})

describe('files of keys', () => {
  test.each(vectors.keyFiles)('$name', ({ text, ids }) => {
    expect(idsOf(text)).toEqual(ids)
  })
})

describe('trees', () => {
  test.each(vectors.trees)('$count leaves', ({ count, root, paths }) => {
    for (const [index, path] of Object.entries(paths)) {
      const siblings = path.map((one) => Buffer.from(one, 'base64url'))
      const found = rootByPath(leafHash(`leaf ${index}`), Number(index), count, siblings)
      expect(found?.toString('base64url')).toBe(root)
    }
  })
})

test('the implementation in Python finds the same', () => {
  const found = python()
  const named = (rows: readonly { readonly name: string }[], values: readonly unknown[]) =>
    rows.map(({ name }, index) => [name, values[index]] as const)
  expect(found.trees).toEqual(
    vectors.trees.map(({ root, paths }) => ({ root, byPath: Object.keys(paths).map(() => root) })),
  )
  expect(named(vectors.keyFiles, found.keyFiles)).toEqual(vectors.keyFiles.map(({ name, ids }) => [name, ids]))
  expect(named(vectors.receipts, found.receipts.map(sorted))).toEqual(
    vectors.receipts.map(({ name, faults }) => [name, sorted(faults)]),
  )
  expect(
    named(
      vectors.logs,
      found.logs.map((one) => ({ ...one, faults: sorted(one.faults) })),
    ),
  ).toEqual(vectors.logs.map(({ name, faults, anchor }) => [name, { faults: sorted(faults), anchor }]))
})
