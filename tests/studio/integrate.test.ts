import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'

const run = promisify(execFile)
const MODULES = join(import.meta.dirname, '../../node_modules')

/** A folder like that of a reader, who has installed the packages that the page names. */
function readerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  return folder
}

/** The text of a request; those to the platform are chosen by language. */
async function snippet(page: Page, name: string): Promise<string> {
  const language = page.getByRole('group', { name: 'Language' }).getByRole('button', { name, exact: true })
  if ((await language.count()) > 0) await language.click()
  return page.getByRole('region', { name, exact: true }).innerText()
}

/** Whether a program of another language is installed. */
const isInstalled = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )

describe.skipIf(CHROMIUM === undefined)('the page of requests', () => {
  const studio = useStudio()

  test('shows requests to platform and engine that decide as they are', async () => {
    const project = await newProject(studio.platform())
    const { team, path } = project
    const { engine } = await serving(studio.platform(), project, 'dev', '--grpc-addr', '127.0.0.1:0')
    const published = await team.owner.request('POST', `${path}/rulesets/ecommerce_coupon/publish`, {
      environment: 'dev',
      seq: 1,
    })
    expect(published.status, published.text).toBeLessThan(300)
    const { id: tenant } = (await team.owner.request('GET', `${path}/environments/dev`)).body
    const held = () =>
      engine.request('GET', '/api/v1/rulesets/ecommerce_coupon', { headers: { 'x-tenant-id': tenant } })
    await expect.poll(async () => (await held()).status).toBe(200)
    const key = await made(
      team.owner.request('POST', `${team.path}/api-keys`, { name: 'shop', scopes: ['decision.execute'] }),
    )
    const { body: suites } = await team.owner.request('GET', `${path}/rulesets/ecommerce_coupon/tests`)
    const code: string = suites.items[0].cases[0].expect.code

    const page = await studio.open(team.owner)
    await page.goto(`${project.url}/integrate`)
    await page.getByLabel('Environment').selectOption('dev')
    await page.getByLabel('Address for gRPC').fill(engine.grpc)
    const folder = readerFolder()
    const env = { ...process.env, ENGINE_API_KEY: key.token, ENGINE_TOKEN: '' }
    for (const name of ['curl', 'curl, directly']) {
      const { stdout } = await run('sh', ['-c', await snippet(page, name)], { env })
      expect(stdout, name).toContain(`"code":"${code}"`)
    }
    // npm run test:clients runs the clients of all languages; here a start of Python is cheap enough.
    if (await isInstalled('python3')) {
      const { stdout } = await run('python3', ['-c', await snippet(page, 'Python')], { env })
      expect(stdout).toContain(code)
    }
    expect(await snippet(page, 'Go')).toContain('http.NewRequest("POST"')
    expect(await snippet(page, 'Java')).toContain('HttpRequest.newBuilder')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save engine.proto' }).click()
    await (await download).saveAs(join(folder, 'engine.proto'))
    for (const [name, file] of [
      ['TypeScript', 'decide.mts'],
      ['TypeScript, directly', 'direct.mts'],
      ['gRPC (Node)', 'grpc.mjs'],
    ] as const) {
      writeFileSync(join(folder, file), await snippet(page, name))
      const { stdout } = await run(process.execPath, [file], { env, cwd: folder })
      expect(stdout, name).toContain(code)
    }
  })
})
