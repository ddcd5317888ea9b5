import type { Value } from '@engine/expression'

/** The forms of inputs, by the ending of their file. */
export const INPUT_FORMATS = ['json', 'ndjson', 'csv'] as const
export type InputFormat = (typeof INPUT_FORMATS)[number]

/** One input of a run, or why its line is none. */
export type InputRecord = {
  /** The line on which it ends, from 1, blank lines included. */
  readonly line: number
} & ({ readonly input: Value } | { readonly fault: string })
