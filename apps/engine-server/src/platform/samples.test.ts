import { describe, expect, test } from 'vitest'
import { createSamples, type Sample } from './samples.ts'

const sample = (name: string) => ({ name }) as Sample
const MIB = 1024 * 1024
/** Samples with these sizes, in their order. */
function kept(...sizes: readonly number[]) {
  const samples = createSamples()
  for (const [index, size] of sizes.entries()) samples.add(sample(`s${index + 1}`), size)
  return samples
}
const seqs = (samples: ReturnType<typeof createSamples>) => samples.next().map(({ seq }) => seq)
const many = (count: number, size = 1) => Array.from({ length: count }, () => size)

describe('a heartbeat has the oldest samples', () => {
  test.each<[title: string, sizes: readonly number[], first: number, count: number]>([
    ['none', [], 0, 0],
    ['up to two hundred', many(200), 1, 200],
    ['and no more than two hundred', many(201), 1, 200],
    ['up to a million characters', [MIB / 2, MIB / 2], 1, 2],
    ['and no more', [MIB / 2, MIB / 2, 1], 1, 2],
    ['of the last five hundred', many(501), 2, 200],
    ['of the last four million characters', many(5, MIB), 2, 1],
  ])('%s', (_title, sizes, first, count) => {
    const found = seqs(kept(...sizes))
    expect([found[0] ?? 0, found.length]).toEqual([first, count])
  })

  test('again until they were heard', () => {
    const samples = kept(1, 1, 1)
    expect([seqs(samples), seqs(samples)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    samples.heard(2)
    expect(seqs(samples)).toEqual([3])
    samples.heard(1)
    expect(seqs(samples)).toEqual([3])
    samples.heard(3)
    expect(seqs(samples)).toEqual([])
    samples.add(sample('s4'), 1)
    expect(seqs(samples)).toEqual([4])
  })
})

test('heard samples make room for others', () => {
  const samples = kept(...many(4, MIB))
  samples.heard(4)
  for (const size of many(4, MIB)) samples.add(sample('x'), size)
  expect(samples.take().map(({ sample: { seq } }) => seq)).toEqual([5, 6, 7, 8])
})

test('samples that are given up are gone with their size', () => {
  const samples = kept(MIB, 2 * MIB)
  expect(samples.take().map(({ sample: { seq }, size }) => [seq, size])).toEqual([
    [1, MIB],
    [2, 2 * MIB],
  ])
  expect([seqs(samples), samples.take()]).toEqual([[], []])
  for (const size of many(4, MIB)) samples.add(sample('x'), size)
  expect(samples.take()).toHaveLength(4)
})
