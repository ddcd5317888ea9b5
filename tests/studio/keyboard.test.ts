import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, PASSWORD, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'

/** Stops of a page with its navigation, and some more. */
const MAX_STOPS = 90

/** Press the Tab key until a control has the focus. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  const wanted = control.first()
  await wanted.waitFor()
  const focused = wanted.and(page.locator(':focus'))
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if ((await focused.count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not lead to ${String(control)}`)
}

/** Go to a control and press it. */
async function press(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control)
  await page.keyboard.press('Enter')
}

/** Go past the navigation to a control of the page itself, and press it. */
async function pressInPage(page: Page, control: Locator): Promise<void> {
  await control.first().waitFor()
  await regionTo(page, '.page')
  await press(page, control)
}

/** Go to the next part of the page until it is the one. */
async function regionTo(page: Page, inside: string): Promise<void> {
  const focused = page.locator(`${inside}:focus, ${inside} :focus`)
  for (let part = 0; part < 9; part++) {
    if ((await focused.count()) > 0) return
    await page.keyboard.press('F6')
  }
  throw new Error(`F6 does not lead to ${inside}`)
}

/** Press a key until it has led to an element. */
async function pressUntil(page: Page, key: string, element: Locator): Promise<void> {
  const pressed = async () => {
    await page.keyboard.press(key)
    return element.count()
  }
  await expect.poll(pressed).toBe(1)
}

/** Where the next key goes; `BODY`: the focus is lost. */
const focusOf = (page: Page) => page.evaluate('document.activeElement.tagName')

async function isKept(page: Page): Promise<void> {
  await expect.poll(() => focusOf(page)).not.toBe('BODY')
}

describe.skipIf(CHROMIUM === undefined)('by the keyboard alone', () => {
  const studio = useStudio()

  test('a person signs in, finds a step, changes its threshold and saves', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.openStranger()
    await page.goto(`${studio.platform().publicUrl}/sign-in`)
    await tabTo(page, page.getByLabel('E-mail'))
    await page.keyboard.type(project.team.owner.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await pressInPage(page, page.getByRole('link', { name: 'ecommerce_coupon', exact: true }))
    await page.getByText('11/11 tests').waitFor()

    // The search finds the step by a field, Enter leads to its fields, Escape back.
    await page.keyboard.press('Control+f')
    await page.getByRole('combobox', { name: /^Search steps/ }).waitFor()
    await page.keyboard.type('coupons_used')
    await page.getByRole('option', { selected: true }).getByText('coupons_used_30d').waitFor()
    await page.keyboard.press('Enter')
    const decision = page.getByRole('group', { name: /^Decision/ }).and(page.locator(':focus'))
    await decision.waitFor()
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Condition of branch 3' }))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('cart_amount < 29')
    // The first closes a list of completions that is open.
    await pressUntil(page, 'Escape', decision)
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await decision.waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/ecommerce_coupon`)
    expect(JSON.stringify(body.ruleset)).toContain('cart_amount < 29')
  })

  test('a person changes a cell of a table, saves, runs, and keeps the run as a test', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await regionTo(page, '.editor-bar')
    await press(page, page.getByRole('button', { name: 'Table', exact: true }))
    const grid = page.getByRole('grid')
    await grid.waitFor()
    await regionTo(page, '.stage')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('>= 299.995')
    await page.keyboard.press('Enter')
    await grid.getByRole('gridcell', { name: 'from 299.995' }).waitFor()

    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
    await page.keyboard.press('Control+Shift+Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('as it was')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('12/12 tests').waitFor()
    await grid.and(page.locator(':focus')).waitFor()

    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/ecommerce_coupon`)
    expect(JSON.stringify(body.ruleset)).toContain('>= 299.995')
  })

  test('a person requests a release, another approves it, and it becomes live', async () => {
    const project = await newProject(studio.platform())
    const { name } = await serving(studio.platform(), project, 'prod')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('link', { name: 'ecommerce_coupon', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('releases')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'New release' }).waitFor()
    await pressInPage(page, page.getByRole('button', { name: 'New release' }))
    await tabTo(page, page.getByLabel('Title'))
    await page.keyboard.type('Coupons for the summer')
    await tabTo(page, page.getByRole('checkbox', { name: /^prod/ }))
    await page.keyboard.press('Space')
    await press(page, page.getByRole('button', { name: 'Preview' }))
    await press(page, page.getByRole('button', { name: 'Request the release to prod' }))
    await page.getByRole('heading', { name: 'Coupons for the summer' }).waitFor()
    await isKept(page)

    // Its approval, by another person: from the inbox, with the changes in view.
    const approver = await studio.open(await project.team.join(['admin']))
    await approver.goto(`${studio.platform().publicUrl}/o/${project.team.id}/inbox`)
    await pressInPage(approver, approver.getByRole('link', { name: 'Coupons for the summer', exact: true }))
    await approver.locator('.change').first().waitFor()
    await approver.keyboard.press('j')
    await approver.locator('.change:focus').waitFor()
    await approver.keyboard.press('a')
    await approver.getByRole('dialog').getByRole('textbox').and(approver.locator(':focus')).waitFor()
    await approver.keyboard.press('Escape')
    await approver.locator('.change:focus').waitFor()
    await approver.keyboard.press('a')
    await press(approver, approver.getByRole('dialog').getByRole('button', { name: 'Approve' }))
    await approver.getByText('1 of 1 approval').waitFor()
    await isKept(approver)

    await press(page, page.getByRole('button', { name: 'Release to prod' }))
    await page.getByRole('dialog').getByRole('textbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('prod')
    await page.keyboard.press('Enter')
    await page.getByText('Live in prod.').waitFor()
    await page.getByRole('row').filter({ hasText: name }).waitFor()
    await isKept(page)
  })

  test('a dialog keeps the focus and gives it back, a link leads past the navigation, keys of a letter can be turned off', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/facts`)
    await page.getByRole('cell', { name: 'cart_amount' }).first().waitFor()
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await skip.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('main:focus').waitFor()
    await page.keyboard.press('Tab')
    const make = page.getByRole('button', { name: 'New fact' })
    await make.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab')
      expect(await page.getByRole('dialog').locator(':focus').count(), `stop ${stop}`).toBe(1)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await make.and(page.locator(':focus')).waitFor()

    // A row that is deleted takes its button with it: the focus stays in the list.
    await press(page, page.getByRole('row').filter({ hasText: 'cart_amount' }).getByRole('button', { name: 'Delete' }))
    await press(page, dialog.getByRole('button', { name: 'Delete' }))
    await page.getByRole('cell', { name: 'cart_amount' }).first().waitFor({ state: 'detached' })
    await page.locator('main :focus').waitFor()

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await tabTo(page, page.getByRole('checkbox'))
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.keyboard.press('F6')
    expect(await dialog.count()).toBe(0)
  })

  test('steps are reached by letters and arrows, inserted, connected and deleted', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    const dialog = page.getByRole('dialog')
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await regionTo(page, '.outline')
    await page.keyboard.type('too')
    const tree = page.getByRole('tree')
    await tree
      .getByRole('treeitem', { name: /[Tt]oo many/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.details :focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.nd:focus').waitFor()
    await page.keyboard.press('Home')
    await page
      .getByRole('group', { name: /^Decision/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('n')
    await page
      .getByRole('group', { name: /^Decision New step/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('c')
    await tabTo(page, dialog.getByLabel('go to'))
    await page.keyboard.press('End')
    await press(page, dialog.getByRole('button', { name: 'Connect' }))
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo: Connect' }).waitFor()
    await page.locator('.nd:focus').waitFor()
    await page.keyboard.press('Delete')
    await isKept(page)
  })
})
