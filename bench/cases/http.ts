import { CASES } from '../decisions.ts'
import { againstBare } from './against-bare.ts'

/** One execution a request, against a bare `node:http` server that parses and stringifies the same JSON. */
export function http(): Promise<void> {
  return againstBare({
    mode: 'execute',
    path: '/api/v1/execute/discount',
    body: JSON.stringify({ input: CASES[1]?.inputs[9] }),
    units: 1,
    headings: ['server', 'requests a second', 'of bare node:http (bar 0.85)'],
    peer: 'node:http',
  })
}
