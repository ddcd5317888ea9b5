import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { addEngine, engineNamed } from '../platform/engines.testing.ts'
import { made } from '../platform/team.testing.ts'
import { expectAccess, expectAccessInOneTheme } from './axe.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'

/** Approve a release, and have it brought to engines. */
async function execute({ team, path }: StudioProject, number: number): Promise<void> {
  for (const act of ['approve', 'execute']) {
    const { status, text } = await team.owner.request('POST', `${path}/releases/${number}/${act}`, {})
    expect(status, text).toBeLessThan(300)
  }
}

/** Go to a page as its links do: the studio itself is loaded once. */
async function visit(page: Page, address: string): Promise<void> {
  const from = page.url()
  if (from === 'about:blank') await page.goto(address)
  else if (from !== address) await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`)
  await expect.poll(() => page.url()).toBe(address)
  await page.locator('h1, .state h2').first().waitFor()
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

describe.skipIf(CHROMIUM === undefined)('every page', () => {
  const studio = useStudio()
  let project: StudioProject
  /** The numbers of a release that waits, and of one that an engine has not taken yet. */
  let releases: { readonly waiting: number; readonly running: number }
  let engine: string
  beforeAll(async () => {
    project = await newProject(studio.platform())
    const { team, path } = project
    const ask = async (title: string) =>
      (
        await made(
          team.owner.request('POST', `${path}/releases`, {
            title,
            rulesets: [{ name: 'ecommerce_coupon', from_seq: 1 }],
            environments: ['prod'],
          }),
        )
      ).number as number
    const { token } = await made(team.owner.request('POST', `${team.path}/connect-tokens`, { label: 'story' }))
    const played = await addEngine(studio.platform(), token, engineNamed('front', { tenants: true }))
    await played.beat()
    engine = played.id
    await team.owner.request('PUT', `${path}/server`, { environment: 'prod', server_ids: [engine] })
    const running = await ask('Coupons for the spring')
    await execute(project, running)
    await made(team.owner.request('POST', `${team.path}/api-keys`, { name: 'shop', scopes: ['decision.execute'] }))
    await team.owner.request('POST', `${team.path}/members`, { email: 'ana@example.com', roles: ['editor'] })
    releases = { running, waiting: await ask('Coupons for the summer') }
  })

  const organization = () => `${studio.platform().publicUrl}/o/${project.team.id}`
  const expectAll = async (page: Page, addresses: readonly string[]) => {
    for (const address of addresses) {
      await visit(page, address)
      await expectAccess(page, address)
    }
  }

  test('of an organization passes axe in both themes', async () => {
    const page = await studio.open(project.team.owner)
    const pages = [
      '',
      '/inbox',
      '/members',
      '/roles',
      '/invitations',
      '/account',
      '/keys',
      '/engines',
      `/engines/${engine}`,
      '/audit',
      '/settings',
    ]
    await expectAll(page, [
      `${studio.platform().publicUrl}/organizations`,
      ...pages.map((one) => organization() + one),
      `${project.url}/nowhere`,
    ])
  })

  test('of a project passes axe', async () => {
    const page = await studio.open(project.team.owner)
    const catalog = [
      'facts',
      'concepts',
      'contracts',
      'contracts/ecommerce_coupon',
      'integrate',
      'webhooks',
      'signing',
      'settings',
      'import',
      'deleted',
      'policies',
      'sub-rules',
      'sub-rules/customer_class',
      'environments',
      'environments/prod',
      'decisions',
    ]
    await expectAll(page, [project.url, ...['rulesets', 'tests', ...catalog].map((one) => `${project.url}/${one}`)])
  })

  test('of releases and of saves passes axe', async () => {
    const page = await studio.open(project.team.owner)
    const pages = ['releases', 'releases/new', `releases/${releases.waiting}`, `releases/${releases.running}`]
    const saves = ['history', 'compare', 'compare?view=table'].map((one) => `rulesets/ecommerce_coupon/${one}`)
    await expectAll(
      page,
      [...pages, ...saves].map((one) => `${project.url}/${one}`),
    )
  })

  test('without a session passes axe', async () => {
    const page = await studio.openStranger()
    for (const address of ['sign-in', 'sign-in#token=a', 'invitation', 'invitation#token=a']) {
      await page.goto(`${studio.platform().publicUrl}/${address}`)
      await page.locator('h1').waitFor()
      await expectAccess(page, address)
    }
  })

  test('of an empty project passes axe', async () => {
    const page = await studio.open(project.team.owner)
    const { team } = project
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Empty' }))
    const lists = ['rulesets', 'tests', 'releases', 'releases/new', 'facts', 'concepts', 'contracts', 'integrate']
    await expectAll(
      page,
      lists.map((one) => `${organization()}/p/${id}/${one}`),
    )
  })

  test('that is refused passes axe', async () => {
    const page = await studio.open(project.team.owner)
    for (const [status, code] of [
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
    ] as const) {
      const json = { error: 'not here', code, request_id: 'r' }
      await page.route(/\/api\/.*\/facts(\?|$)/, (route) => route.fulfill({ status, json }))
      await page.goto(`${project.url}/facts`)
      await page.getByRole('alert').waitFor()
      await expectAccess(page, `refused: ${status}`)
      await page.unrouteAll()
    }
  })

  test('passes axe below a dialog or a menu', async () => {
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/facts`)
    await page.getByRole('cell', { name: 'cart_amount' }).first().waitFor()
    const covers: readonly (readonly [string, () => Promise<void>])[] = [
      ['dialog', () => page.getByRole('button', { name: 'New fact' }).click()],
      ['palette', () => page.keyboard.press('Control+k')],
      ['keys', () => page.keyboard.press('?')],
      ['account', () => page.getByRole('button', { name: 'Account' }).click()],
      ['notifications', () => page.getByRole('button', { name: /^Notifications/ }).click()],
      ['switch', () => page.getByRole('button', { name: /switch project/ }).click()],
    ]
    for (const [name, open] of covers) {
      await open()
      const cover = page.locator('[role=dialog], [role=menu]').first()
      await cover.waitFor()
      // A popover has hidden buttons next to its dialog that dismiss it, and belongs to no landmark.
      await expectAccess(page, name, ['region'])
      await page.keyboard.press('Escape')
      await cover.waitFor({ state: 'detached' })
    }
  })

  test('of a viewer passes axe', async () => {
    const page = await studio.open(await project.team.join(['viewer']))
    const pages = ['rulesets', 'rulesets/ecommerce_coupon', 'facts', `releases/${releases.waiting}`]
    await expectAll(
      page,
      pages.map((one) => `${project.url}/${one}`),
    )
  })

  test('of the editor passes axe with an execution', async () => {
    const page = await studio.open(project.team.owner)
    for (const view of ['flow', 'table', 'text']) {
      await visit(page, `${project.url}/rulesets/ecommerce_coupon?view=${view}`)
      await page.getByText('11/11 tests').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
      await expectAccess(page, view)
    }
  })

  test('of the editor passes axe with problems, searched and on a phone', async () => {
    const page = await studio.open(project.team.owner)
    await visit(page, `${project.url}/rulesets/ecommerce_coupon?view=flow`)
    await page.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount <')
    await page.getByRole('tab', { name: /\d+ problems?$/ }).click()
    await page.getByRole('region', { name: 'problems', exact: true }).waitFor()
    await expectAccess(page, 'problems')
    await page.getByRole('button', { name: /tests$/ }).click()
    await page.getByRole('button', { name: 'Show coverage on the rules' }).waitFor()
    await expectAccess(page, 'saved tests')
    await page.keyboard.press('Control+f')
    await page.getByRole('combobox', { name: /^Search steps/ }).fill('cart')
    await expectAccess(page, 'search')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Undo: / }).click()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectAccessInOneTheme(page, 'editor on a phone')
    await page.getByRole('button', { name: 'Navigation' }).click()
    await expectAccess(page, 'navigation on a phone')
  })

  test('speaks Chinese: no text of another language is left in the frame', async () => {
    const page = await studio.open(project.team.owner, { locale: 'zh-CN' })
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('heading', { name: '规则集' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    const words = await page.getByRole('navigation', { name: '主导航' }).innerText()
    expect(words.replaceAll(/Shop|Acme|API|\bA\b/g, '')).not.toMatch(/[A-Za-z]{2}/)
  })
})
