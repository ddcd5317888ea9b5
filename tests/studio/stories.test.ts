import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, PASSWORD, useStudio } from './browser.testing.ts'

/** How much unsaved work the browser keeps. */
const KEPT = `new Promise((resolve, reject) => {
  const opened = indexedDB.open('keyval-store')
  opened.onerror = () => reject(opened.error)
  opened.onsuccess = () => {
    const counted = opened.result.transaction('keyval').objectStore('keyval').count()
    counted.onsuccess = () => {
      opened.result.close()
      resolve(counted.result)
    }
  }
})`

/** Holds back the answers of the page's workers until released. */
const HOLD_ANSWERS = `{
  const held = []
  let isHeld = true
  const listen = Worker.prototype.addEventListener
  Worker.prototype.addEventListener = function (type, listener) {
    listen.call(this, type, (event) => (isHeld ? held.push(() => listener(event)) : listener(event)))
  }
  window.heldAnswers = () => held.length
  window.releaseAnswers = () => {
    isHeld = false
    for (const deliver of held) deliver()
  }
}`

describe.skipIf(CHROMIUM === undefined)('the studio', () => {
  const studio = useStudio()

  test('leads from the printed link to a ruleset of a first project, and to a decision', async () => {
    const platform = studio.platform()
    const page = await studio.openStranger()
    await page.goto(platform.firstLink ?? '')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByLabel('Name').fill('Acme')
    await page.getByRole('dialog').getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: /Coupons/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New project' }).click()
    await page.getByRole('link', { name: 'ecommerce_coupon', exact: true }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
    expect(new URL(page.url()).hash).toBe('')
  })

  test('changes a threshold: the saved tests say what breaks, undo takes it back, save makes a draft, publish brings it live', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    const condition = page.getByRole('textbox', { name: 'Condition of branch 3' })
    await condition.fill('cart_amount < 400')
    await page.getByRole('button', { name: /^\d+\/11 tests/ }).waitFor()
    await page.getByRole('button', { name: /^Undo: / }).click()
    await page.getByText('11/11 tests').waitFor()
    expect(await condition.textContent()).toBe('cart_amount < 30')
    await condition.fill('cart_amount < 29')
    await page.getByText('Unsaved changes').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published: the engines').waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/ecommerce_coupon`)
    expect(body.seq).toBe(2)
    expect(JSON.stringify(body.ruleset)).toContain('cart_amount < 29')
    const { body: list } = await project.team.owner.request('GET', `${project.path}/rulesets`)
    expect(list.items[0].live[0].environment).toBe('dev')
  })

  test('merges the saves of two people, and asks where both changed the same', async () => {
    const project = await newProject(studio.platform())
    const colleague = await project.team.join(['editor'])
    const [mine, theirs] = [await studio.open(project.team.owner), await studio.open(colleague)]
    const address = `${project.url}/rulesets/ecommerce_coupon`
    await Promise.all([mine.goto(address), theirs.goto(address)])
    await theirs.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount < 25')
    await theirs.getByRole('textbox', { name: 'Condition of branch 2' }).fill('count(coupons_used_30d) >= 7')
    await theirs.getByRole('button', { name: 'Save', exact: true }).click()
    await theirs.getByText('draft 2').waitFor()
    await mine.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount < 35')
    await mine.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = mine.getByRole('dialog')
    await dialog.getByText('1 place was changed by both of you').waitFor()
    await dialog.getByRole('radio', { name: 'Theirs' }).check()
    await dialog.getByRole('button', { name: 'Take this draft' }).click()
    await mine.getByRole('textbox', { name: 'Name', exact: true }).fill('May a coupon be given?')
    await mine.getByRole('button', { name: 'Save', exact: true }).click()
    await mine.getByText('draft 3').waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/ecommerce_coupon`)
    const text = JSON.stringify(body.ruleset)
    for (const part of ['cart_amount < 25', 'count(coupons_used_30d) >= 7', 'May a coupon be given?'])
      expect(text).toContain(part)
  })

  test('keeps unsaved work when a tab is closed, and offers it again', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    const address = `${project.url}/rulesets/ecommerce_coupon`
    await page.goto(address)
    await page.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount < 31')
    await page.getByText('Unsaved changes').waitFor()
    await expect.poll(() => page.evaluate(KEPT)).toBe(1)
    const again = await page.context().newPage()
    await page.close({ runBeforeUnload: false })
    await again.goto(address)
    await again.getByRole('button', { name: 'Restore' }).click()
    await again.getByText('Unsaved changes').waitFor()
    expect(await again.getByRole('textbox', { name: 'Condition of branch 3' }).textContent()).toBe('cart_amount < 31')
  })

  test('typing replaces the selection at the moment when the checks of the fields arrive', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.addInitScript(HOLD_ANSWERS)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    const condition = page.getByRole('textbox', { name: 'Condition of branch 3' })
    await condition.waitFor()
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.evaluate('heldAnswers()')).toBeGreaterThan(3)
    await page.evaluate(`{
      const field = document.querySelector('[aria-label="Condition of branch 3"]')
      field.focus()
      getSelection().selectAllChildren(field)
      releaseAnswers()
    }`)
    await page.keyboard.insertText('cart_amount < 31')
    expect(await condition.textContent()).toBe('cart_amount < 31')
  })

  test('edits a decision table with the keys of a spreadsheet', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=table`)
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().click()
    await page.keyboard.type('>= 9')
    await page.keyboard.press('Enter')
    // The column has texts: a comparison is one of them.
    await grid.getByRole('gridcell', { name: '>= 9' }).waitFor()
    await page.keyboard.press('Control+i')
    await page.getByText('7 rows', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo: Insert row' }).click()
    await page.getByText('6 rows', { exact: true }).waitFor()
  })

  test('takes 10,000 rows from a spreadsheet as one edit, changes a cell, and takes both back', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=table`)
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell').first().click()
    const paste = (text: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', ${text})
        document.querySelector('.grid').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }`)
    await paste(`Array.from({ length: 10_000 }, (_, row) => '"vip"\\t>= ' + row).join('\\n')`)
    await page.getByText('10,000 rows', { exact: true }).waitFor()
    expect(await grid.getAttribute('aria-rowcount')).toBe('10001')
    await grid.getByRole('gridcell', { name: 'vip' }).first().click()
    await page.keyboard.type('"gold"')
    await page.keyboard.press('Enter')
    const changed = grid.getByRole('gridcell', { name: 'gold', exact: true })
    await changed.waitFor()
    await page.getByRole('button', { name: 'Undo: Edit cell' }).click()
    await changed.waitFor({ state: 'detached' })
    await page.getByText('10,000 rows', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo: Paste 10000 × 2' }).click()
    await page.getByText('6 rows', { exact: true }).waitFor()
  })

  test('imports a table from CSV by a preview as one edit, and copies it out', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=table`)
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'File', exact: true }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as CSV' }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    await page.getByRole('button', { name: 'File', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Import/ }).click()
    const dialog = page.getByRole('dialog')
    const line = text.split('\r\n')[1] ?? ''
    const csv = `${text}${line}\r\n${line.replace(/^([^,]*),[^,]*/, '$1,cheap')}\r\n`
    await dialog.getByLabel('File').setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await dialog.getByText('1 cell needs you:').waitFor()
    await dialog.getByText('“cheap”').waitFor()
    await dialog.getByRole('button', { name: 'Paste 8 rows' }).click()
    await page.getByText('8 rows', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Undo: Import into/ }).click()
    await page.getByText('6 rows', { exact: true }).waitFor()
  })

  test('makes a sub-rule of selected steps, opens it and puts its steps back, with the same decisions', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await page.getByRole('treeitem', { name: /^Sub-rule/ }).click()
    await page.getByRole('button', { name: 'Open the sub-rule' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('in')).not.toBeNull()
    await page.getByRole('button', { name: 'ecommerce_coupon' }).click()
    await page.getByRole('treeitem', { name: /^Sub-rule/ }).click()
    await page.getByRole('button', { name: 'Put its steps here' }).click()
    await page.getByRole('button', { name: /^Undo: Put its steps here/ }).waitFor()
    await page.getByText('11/11 tests').waitFor()
    const canvas = page.getByRole('region', { name: /^Flow canvas/ })
    await canvas
      .getByRole('group', { name: /^Decision/ })
      .first()
      .click()
    await page.keyboard.press('Control+a')
    await canvas.getByRole('button', { name: 'Make a sub-rule' }).click()
    await page.getByLabel('Name of the sub-rule').fill('everything')
    await page.getByRole('dialog').getByRole('button', { name: 'Make a sub-rule' }).click()
    await page.getByText('a sub-rule has no result of its own').waitFor()
  })

  test('shows who else is where, an execution step by step beside a save, and what the saved tests come through', async () => {
    const project = await newProject(studio.platform())
    const colleague = await project.team.join(['editor'])
    const [mine, theirs] = [await studio.open(project.team.owner), await studio.open(colleague)]
    const address = `${project.url}/rulesets/ecommerce_coupon`
    await Promise.all([mine.goto(address), theirs.goto(`${address}?step=limit_reached`)])
    await mine.getByRole('treeitem', { name: /Here now: / }).waitFor()
    await mine.getByRole('textbox', { name: 'Condition of branch 3' }).fill('cart_amount < 4000')
    await mine.getByRole('button', { name: 'Run', exact: true }).click()
    const way = mine.getByRole('region', { name: 'Way through the rules' })
    await way.getByRole('button', { name: 'Compare' }).click()
    await way.getByText(/^On the screen: .* In that version: GRANTED\.$/).waitFor()
    await way.getByRole('button', { name: 'Compare' }).click()
    await mine.getByRole('button', { name: /^Undo: / }).click()
    await mine.keyboard.press('Control+Enter')
    await way.getByText('GRANTED').first().waitFor()
    await way.getByRole('button', { name: 'Step back' }).click()
    await mine.getByRole('group', { name: /visited 1/ }).waitFor()
    await mine.getByRole('button', { name: '11/11 tests' }).click()
    await mine.getByRole('button', { name: 'Show coverage on the rules' }).click()
    await mine
      .getByRole('group', { name: /^Decision/ })
      .getByText('11×')
      .waitFor()
  })

  test('simulates with the network cut', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    // Parts of the editor that its first view does not need are still on their way.
    const names = "performance.getEntriesByType('resource').map(({ name }) => name).join()"
    for (const part of ['text-view', 'run-comparison', 'import-box', 'cases-view', 'dialogs'])
      await expect.poll(() => page.evaluate(names)).toContain(`/${part}-`)
    await page.context().setOffline(true)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
    await page.getByText('You are offline').waitFor()
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByRole('textbox', { name: 'Ruleset as JSON' }).waitFor()
  })

  test('gives a viewer no control that writes', async () => {
    const project = await newProject(studio.platform())
    const viewer = await project.team.join(['viewer'])
    const page = await studio.open(viewer)
    for (const [path, writes] of [
      ['rulesets', ['New ruleset', 'Duplicate', 'Delete']],
      ['rulesets/ecommerce_coupon', ['Save', 'Publish']],
      ['tests', ['Run all tests']],
      ['facts', ['New fact', 'Change', 'Delete']],
      ['contracts', ['Derive from a ruleset']],
      ['settings', ['New environment', 'Delete the project']],
    ] as const) {
      await page.goto(`${project.url}/${path}`)
      for (const name of writes) {
        const button = page.getByRole('button', { name, exact: true }).first()
        await button.waitFor()
        expect(await button.isDisabled(), `${path}: ${name}`).toBe(true)
      }
    }
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('The execution starts here.').waitFor()
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
    expect((await viewer.request('DELETE', `${project.path}/rulesets/ecommerce_coupon?expected_seq=1`)).status).toBe(
      403,
    )
  })

  test('goes back, forward and reloads where it was', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('link', { name: 'ecommerce_coupon' }).click()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByRole('grid').waitFor()
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.goBack()
    await page.getByRole('region', { name: /^Flow canvas/ }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Rulesets' }).waitFor()
    await page.goForward()
    await page.getByRole('region', { name: /^Flow canvas/ }).waitFor()
  })

  test('finds a step by the palette', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('too many')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe('limit_reached')
  })
})
