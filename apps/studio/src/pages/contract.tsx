import { parseJson } from '@engine/expression'
import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useGet, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty, short } from '../ui/json-text.ts'
import { Pending } from '../ui/states.tsx'
import { ContractForm } from './contract-form.tsx'

type Contract = components['schemas']['Contract']
type ContractDocument = components['schemas']['ContractDocument']
const CONTRACTS = '/api/v1/orgs/{oid}/projects/{pid}/contracts'
const CONTRACT = `${CONTRACTS}/{name}` as const

/** A type with its digits, such as `decimal (12, 2)`. */
function typeWithDigits(
  type: string,
  { digits, decimals }: { digits?: number | undefined; decimals?: number | undefined },
): string {
  return digits === undefined && decimals === undefined ? type : `${type} (${digits ?? '–'}, ${decimals ?? '–'})`
}

/** One contract: its fields and codes, and the effects of a change. */
export function ContractPage() {
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const name = useParameter('name')
  const go = useGo()
  const found = useGet(CONTRACT, { path: { oid, pid, name } })
  const remove = useSend('delete', CONTRACT, [CONTRACTS])
  const [open, setOpen] = useState<'change' | 'json' | 'remove'>()
  const { data: contract } = found
  const actions = (
    <>
      <PermissionButton right="contract.edit" run={() => setOpen('change')}>
        {texts.change}
      </PermissionButton>
      <PermissionButton right="contract.edit" run={() => setOpen('json')}>
        {texts.asJson}
      </PermissionButton>
      <PermissionButton right="contract.edit" kind="bad" run={() => setOpen('remove')}>
        {texts.remove}
      </PermissionButton>
    </>
  )
  return (
    <Page
      title={name}
      text={contract && texts.versionOf(contract.version)}
      actions={contract && open !== 'change' && actions}
    >
      {contract === undefined ? (
        <Pending of={found} />
      ) : open === 'change' ? (
        <ContractForm contract={documentOf(contract)} close={() => setOpen(undefined)} />
      ) : (
        <Content contract={contract} />
      )}
      {open === 'json' && contract !== undefined && <Change contract={contract} close={() => setOpen(undefined)} />}
      {open === 'remove' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(name)}
          submit={texts.remove}
          close={() => setOpen(undefined)}
          send={async () => {
            await remove.mutateAsync({ path: { oid, pid, name } })
            go(paths.contracts(oid, pid), { replace: true })
          }}
        />
      )}
    </Page>
  )
}

/** The parts of a contract that its author edits. */
function documentOf({ name, version, description, input, outputs }: Contract): ContractDocument {
  return { name, version, ...(description !== undefined && { description }), input, outputs }
}

function Content({ contract: { name, input, outputs, migrations } }: { readonly contract: Contract }) {
  const { contracts: texts } = usePageTexts()
  return (
    <>
      {migrations.map(({ field, reason }) => (
        <p key={field} className="note" data-tone="warn">
          <code>{field}</code> {reason}
        </p>
      ))}
      <section className="card scroll" tabIndex={0} role="region" aria-label={texts.inputs}>
        <header>
          <h2>{texts.inputs}</h2>
        </header>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.field}</th>
              <th scope="col">{texts.type}</th>
              <th scope="col">{texts.required}</th>
              <th scope="col">{texts.limits}</th>
            </tr>
          </thead>
          <tbody>
            {input.fields.map(
              ({
                name: field,
                type,
                required,
                enum: values,
                minimum,
                maximum,
                sensitive,
                default: other,
                digits,
                decimals,
              }) => (
                <tr key={field}>
                  <td data-title={texts.field}>
                    <code>{field}</code>
                  </td>
                  <td data-title={texts.type}>
                    <span className="tag">{typeWithDigits(type, { digits, decimals })}</span>
                  </td>
                  <td data-title={texts.required}>{required === true ? texts.yes : texts.no}</td>
                  <td data-title={texts.limits}>
                    <code>
                      {[
                        values && values.map((value) => short(value as never)).join(' | '),
                        minimum !== undefined && `≥ ${minimum}`,
                        maximum !== undefined && `≤ ${maximum}`,
                        other !== undefined && `= ${short(other as never)}`,
                        sensitive === true && texts.sensitive,
                      ]
                        .filter((one) => typeof one === 'string')
                        .join(', ')}
                    </code>
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
      <section className="card scroll" tabIndex={0} role="region" aria-label={texts.outputs}>
        <header>
          <h2>{texts.outputs}</h2>
        </header>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.code}</th>
              <th scope="col">{texts.fields}</th>
            </tr>
          </thead>
          <tbody>
            {outputs.map(({ code, fields }) => (
              <tr key={code}>
                <td data-title={texts.code}>
                  <code>{code}</code>
                </td>
                <td data-title={texts.fields}>
                  <code>{fields.map((one) => `${one.name}: ${one.type}`).join(', ')}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <OtherFormats name={name} />
    </>
  )
}

const FORMATS = ['schema', 'openapi', 'types'] as const

/** Links to the contract as JSON Schema, OpenAPI and TypeScript types. */
function OtherFormats({ name }: { readonly name: string }) {
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  return (
    <p className="row wrap">
      <span className="muted">{texts.otherFormats}</span>
      {FORMATS.map((format) => (
        <a
          key={format}
          href={`${BASE}/api/v1/orgs/${oid}/projects/${pid}/contracts/${encodeURIComponent(name)}/${format}`}
        >
          {texts.formats[format]}
        </a>
      ))}
    </p>
  )
}

/** The contract as JSON; the effects of a change are shown before it is saved. */
function Change({ contract, close }: { readonly contract: Contract; readonly close: () => void }) {
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const check = useSend('post', `${CONTRACT}/check`, [])
  const change = useSend('put', CONTRACT, [CONTRACTS, CONTRACT])
  const { name } = contract
  const [checked, setChecked] = useState<string>()
  const path = { oid, pid, name }
  const verdict = check.data
  return (
    <FormBox
      title={texts.asJson}
      close={close}
      fields={[{ name: 'text', label: texts.json, kind: 'area', hint: texts.jsonHint }]}
      initial={{ text: pretty(documentOf(contract)) }}
      submit={checked === undefined ? texts.check : texts.save}
      send={async (values) => {
        const text = values.text
        const parsed = parseJson(text, { duplicateKeys: 'refuse' })
        if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
        const body = parsed.value as unknown as ContractDocument
        if (checked !== text) {
          await check.mutateAsync({ path, body })
          setChecked(text)
          return
        }
        await change.mutateAsync({ path, body })
        close()
      }}
    >
      {verdict !== undefined && (
        <div className="note" data-tone={verdict.breaking ? 'bad' : 'ok'} role="status">
          <div>
            {texts.bump(verdict.bump)}
            {verdict.breaks.map(({ path: at, message }) => (
              <div key={at}>
                <code>{at}</code> {message}
              </div>
            ))}
          </div>
        </div>
      )}
    </FormBox>
  )
}
