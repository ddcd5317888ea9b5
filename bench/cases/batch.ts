import { CASES } from '../decisions.ts'
import { againstBare } from './against-bare.ts'

const INPUTS = 1000

/** A batch of 1,000 inputs, against a server that only parses and stringifies the same bytes. */
export function batch(): Promise<void> {
  return againstBare({
    mode: 'batch',
    path: '/api/v1/execute/discount/batch',
    body: JSON.stringify({ inputs: Array.from({ length: INPUTS }, (_, index) => CASES[1]?.inputs[index & 511]) }),
    units: INPUTS,
    headings: ['server', 'decisions a second', 'of JSON.parse and JSON.stringify (bar 0.6)'],
    peer: 'JSON.parse and JSON.stringify',
  })
}
