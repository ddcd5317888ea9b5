import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT, run } from '../clients/command.ts'
import { helm } from '../clients/tools.ts'

/**
 * Lints the chart and renders it with Helm for each file of values, and compares the result with `deploy/helm/rendered`. With `CHART=write`
 * it writes them. `HELM` names a program of Helm; without it a fixed version is built with Go.
 */
const FOLDER = join(ROOT, 'deploy/helm')
const CHART = join(FOLDER, 'engine')
const program = process.env['HELM'] ?? (await helm())
/** Helm that Go builds knows no version of Kubernetes. */
const KUBERNETES = '1.30.0'
const writes = process.env['CHART'] === 'write'

let differing = 0
for (const values of globSync('values/*.yaml', { cwd: FOLDER }).toSorted()) {
  const name = basename(values)
  const given = ['--values', join(FOLDER, values)]
  await run(program, ['lint', '--strict', CHART, ...given])
  const rendered = await run(program, [
    'template',
    'engine',
    CHART,
    '--namespace',
    'engine',
    '--kube-version',
    KUBERNETES,
    ...given,
  ])
  const file = join(FOLDER, 'rendered', name)
  if (writes) writeFileSync(file, rendered)
  const isSame = readFileSync(file, 'utf8') === rendered
  if (!isSame) differing++
  process.stdout.write(
    `${isSame ? 'passed' : 'failed'} ${name}${isSame ? '' : ': differs from deploy/helm/rendered'}\n`,
  )
}
if (differing > 0) process.exitCode = 1
