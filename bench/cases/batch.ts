import { CASES } from '../decisions.ts'
import { againstBare } from './against-bare.ts'

const INPUTS = 1000

const inputs = () => Array.from({ length: INPUTS }, (_, index) => CASES[1]?.inputs[index & 511])

/** A batch of 1,000 inputs, as one document and as lines, against a server that only parses and stringifies the same bytes. */
export async function batch(): Promise<void> {
  await againstBare({
    mode: 'batch',
    path: '/api/v1/execute/discount/batch',
    body: JSON.stringify({ inputs: inputs() }),
    units: INPUTS,
    headings: ['server', 'decisions a second', 'of JSON.parse and JSON.stringify (bar 0.6)'],
    peer: 'JSON.parse and JSON.stringify',
  })
  console.log()
  await againstBare({
    mode: 'lines',
    path: '/api/v1/execute/discount/batch',
    body: inputs()
      .map((input) => `${JSON.stringify(input)}\n`)
      .join(''),
    units: INPUTS,
    headings: ['server', 'lines a second', 'of JSON.parse and JSON.stringify by line (bar 0.7)'],
    peer: 'JSON.parse and JSON.stringify by line',
  })
}
