import { useState } from 'react'
import { call } from '../api/client.ts'
import { useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { newDraft, newTableDraft } from '../session/new-draft.ts'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Box } from '../ui/dialog.tsx'
import { download } from '../ui/download.ts'
import { FormBox } from '../ui/form.tsx'
import { pretty } from '../ui/json-text.ts'
import { useGo } from '../ui/link.tsx'

type Item = components['schemas']['DraftItem']
const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'
const RULESET = `${RULESETS}/{name}` as const

interface BoxProps {
  readonly close: () => void
}

/** Creates a ruleset. */
export function Make({ close }: BoxProps) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const make = useSend('post', RULESET, [RULESETS])
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[
        { name: 'name', label: texts.name, hint: texts.nameHint },
        {
          name: 'from',
          label: texts.startWith,
          kind: 'select',
          options: [
            { value: 'decision', label: texts.starts.decision },
            { value: 'table', label: texts.starts.table },
          ],
        },
      ]}
      submit={texts.make}
      send={async ({ name, from }) => {
        const ruleset = from === 'table' ? newTableDraft(name) : newDraft(name)
        await make.mutateAsync({ path: { oid, pid, name }, body: { ruleset: { ...ruleset }, expected_seq: 0 } })
        if (from === 'table') go(paths.ruleset(oid, pid, name), { search: { view: 'table' } })
        else go(paths.ruleset(oid, pid, name))
      }}
    />
  )
}

/** Copies a ruleset under a new name. */
export function Duplicate({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const duplicate = useSend('post', `${RULESET}/duplicate`, [RULESETS])
  return (
    <FormBox
      title={texts.duplicate}
      close={close}
      fields={[{ name: 'name', label: texts.newName, hint: texts.nameHint }]}
      initial={{ name: `${item.name}_copy` }}
      submit={texts.duplicate}
      send={async (values) => {
        const name = values.name
        await duplicate.mutateAsync({ path: { oid, pid, name: item.name }, body: { name } })
        go(paths.ruleset(oid, pid, name))
      }}
    />
  )
}

/** Renames a ruleset. */
export function Rename({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const rename = useSend('post', `${RULESET}/rename`, [RULESETS])
  return (
    <FormBox
      title={texts.renameOf(item.name)}
      close={close}
      fields={[{ name: 'name', label: texts.newName, hint: texts.nameHint }]}
      initial={{ name: item.name }}
      submit={texts.rename}
      send={async ({ name }) => {
        await rename.mutateAsync({ path: { oid, pid, name: item.name }, body: { name, expected_seq: item.seq } })
        close()
      }}
    >
      <p className="muted">{texts.renameText}</p>
    </FormBox>
  )
}

const FORMATS = ['engine', 'jdm', 'dmn'] as const

/** Exports the draft in a format, and lists the parts that the format cannot express. */
export function Export({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const [lost, setLost] = useState<components['schemas']['ExportedRuleset']['lost']>()
  const { name } = item
  if (lost !== undefined)
    return (
      <Box title={texts.exportOf(name)} close={close}>
        <p>{texts.exported(lost.length)}</p>
        <ul>
          {lost.map(({ path, message }) => (
            <li key={`${path} ${message}`}>{message}</li>
          ))}
        </ul>
      </Box>
    )
  return (
    <FormBox
      title={texts.exportOf(name)}
      close={close}
      fields={[
        {
          name: 'format',
          label: texts.format,
          kind: 'select',
          options: FORMATS.map((value) => ({ value, label: texts.formats[value] })),
        },
      ]}
      submit={texts.export}
      send={async ({ format: chosen }) => {
        const format = FORMATS.find((one) => one === chosen) ?? 'engine'
        const found = await call('get', `${RULESET}/export`, { path: { oid, pid, name }, query: { format } })
        const { document } = found
        if (typeof document === 'string') download(`${name}.dmn`, 'application/xml', document)
        else download(`${name}.json`, 'application/json', pretty(document))
        if (found.lost.length === 0) close()
        else setLost(found.lost)
      }}
    />
  )
}

/** Deletes a draft. */
export function Remove({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const remove = useSend('delete', RULESET, [RULESETS])
  return (
    <Confirm
      title={texts.remove}
      text={texts.removeText(item.name)}
      submit={texts.remove}
      close={close}
      send={() => remove.mutateAsync({ path: { oid, pid, name: item.name }, query: { expected_seq: item.seq } })}
    />
  )
}
