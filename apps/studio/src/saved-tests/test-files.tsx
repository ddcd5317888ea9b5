import { useState } from 'react'
import { BASE, upload } from '../api/client.ts'
import { errorOf } from '../api/errors.ts'
import { keyOf, queryClient } from '../api/data.ts'
import { useMay } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Refusal } from '../ui/states.tsx'
import { TESTS, type TestsPlace } from './saved-test.ts'

const IMPORT = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/import'
const FORMATS = { yaml: 'application/yaml', csv: 'text/csv' } as const

/** Exports the tests of a ruleset to a file and, with the permission to edit, imports them. */
export function TestFiles({ place }: { readonly place: TestsPlace }) {
  const { savedTests: texts } = useTexts()
  const mayEdit = useMay('ruleset.edit')
  const [error, setError] = useState<Error | null>(null)
  const { oid, pid, name } = place
  const address = `${BASE}/api/v1/orgs/${oid}/projects/${pid}/rulesets/${encodeURIComponent(name)}/tests/export`
  const read = async (file: File) => {
    const type = file.name.endsWith('.csv') ? FORMATS.csv : FORMATS.yaml
    await upload(IMPORT, { path: { ...place } }, file, type)
    await queryClient.invalidateQueries({ queryKey: keyOf(TESTS) })
  }
  return (
    <>
      {(['yaml', 'csv'] as const).map((format) => (
        <a
          key={format}
          className="btn small"
          href={`${address}?format=${format}`}
          download
          aria-label={texts.exportAs(name, format.toUpperCase())}
        >
          <Icon name="download" size={12} />
          {format.toUpperCase()}
        </a>
      ))}
      {mayEdit && (
        <label className="btn small">
          <Icon name="plus" size={12} />
          {texts.importFile}
          <input
            className="vh"
            type="file"
            accept=".yaml,.yml,.csv"
            aria-label={texts.importTo(name)}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              target.value = ''
              setError(null)
              if (file !== undefined) read(file).catch((thrown: unknown) => setError(errorOf(thrown)))
            }}
          />
        </label>
      )}
      <Refusal error={error} />
    </>
  )
}
