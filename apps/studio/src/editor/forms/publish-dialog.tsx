import { useState } from 'react'
import { useSend } from '../../api/data.ts'
import { useEnvironments, useIds, useMay } from '../../frame/route-scope.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Box } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useGo } from '../../ui/link.tsx'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Publish the saved draft to engines, in an environment that requires no releases. */
export function Publish({
  name,
  seq,
  isSaved,
}: {
  readonly name: string
  readonly seq: number
  readonly isSaved: boolean
}) {
  const { publish: texts, errors } = useTexts()
  const { oid, pid } = useIds()
  const may = useMay('ruleset.publish')
  const environments = useEnvironments().data?.items.filter((one) => !one.requires_release) ?? []
  const send = useSend('post', `${RULESETS}/{name}/publish`, [RULESETS])
  const [open, setOpen] = useState<'form' | 'done'>()
  const reason = may ? (isSaved ? undefined : texts.saveFirst) : errors.needs('ruleset.publish')
  return (
    <>
      <button
        type="button"
        className="btn"
        disabled={reason !== undefined}
        title={reason}
        onClick={() => setOpen('form')}
      >
        <Icon name="rocket" size={14} />
        {texts.submit}
      </button>
      {open !== undefined && (
        <Box title={texts.title(name, seq)} close={() => setOpen(undefined)}>
          {open === 'done' ? (
            <p className="note" data-tone="ok" role="status">
              {texts.done}
            </p>
          ) : environments.length === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <Form
              fields={[
                {
                  name: 'environment',
                  label: texts.environment,
                  kind: 'select',
                  options: environments.map((one) => ({ value: one.name, label: one.name })),
                },
                { name: 'release_note', label: texts.note, isOptional: true },
              ]}
              submit={texts.submit}
              cancel={() => setOpen(undefined)}
              send={async (values) => {
                await send.mutateAsync({
                  path: { oid, pid, name },
                  body: { environment: values.environment, seq, release_note: values.release_note },
                })
                setOpen('done')
              }}
            />
          )}
        </Box>
      )}
    </>
  )
}

/** Request a release of the saved draft: for environments that require releases. */
export function RequestRelease({ name, isSaved }: { readonly name: string; readonly isSaved: boolean }) {
  const { publish: texts, errors } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const may = useMay('release.create')
  const reason = may ? (isSaved ? undefined : texts.saveToRequest) : errors.needs('release.create')
  return (
    <button
      type="button"
      className="btn"
      disabled={reason !== undefined}
      title={reason}
      onClick={() => go(paths.newRelease(oid, pid), { search: { ruleset: name } })}
    >
      {texts.request}
    </button>
  )
}
