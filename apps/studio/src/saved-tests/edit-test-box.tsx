import type { Expectation } from '@engine/authoring'
import { isObject, parseJson, type Value } from '@engine/expression'
import { useTexts } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { pretty } from '../ui/json-text.ts'
import { replaceTest, type SavedTest, type TestsPlace } from './saved-test.ts'

interface EditTestBoxProps {
  readonly place: TestsPlace
  readonly test: SavedTest
  readonly close: () => void
}

/** A dialog for the name, input and expected result of a test. */
export function EditTestBox({ place, test, close }: EditTestBoxProps) {
  const { savedTests: texts, editor } = useTexts()
  const { expect } = test
  const read = (text: string, label: string): Value => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
    if (parsed.kind === 'failed') throw new Error(texts.badJson(label, parsed.problem.message))
    return parsed.value
  }
  const named = { name: 'name', label: texts.name } as const
  const input = { name: 'input', label: texts.input, kind: 'area' } as const
  const store = async (name: string, given: string, next: Expectation) => {
    const value = read(given, texts.input)
    if (!isObject(value)) throw new Error(texts.inputObject)
    await replaceTest(place, { ...test, name, input: value, expect: next })
    close()
  }
  const shared = { title: texts.editOf(test.name), close, submit: editor.save }
  if (expect.error !== undefined)
    return (
      <FormBox
        {...shared}
        fields={[named, input, { name: 'error', label: texts.error, hint: texts.errorHint }]}
        initial={{ name: test.name, input: pretty(test.input), error: expect.error }}
        send={(values) => store(values.name, values.input, { error: values.error })}
      />
    )
  return (
    <FormBox
      {...shared}
      fields={[
        named,
        input,
        { name: 'hasCode', label: texts.counts(texts.parts.code), kind: 'flag' },
        { name: 'code', label: texts.parts.code, isOptional: true },
        { name: 'hasMessage', label: texts.counts(texts.parts.message), kind: 'flag' },
        { name: 'message', label: texts.parts.message, isOptional: true },
        { name: 'hasOutput', label: texts.counts(texts.parts.output), kind: 'flag' },
        { name: 'output', label: texts.parts.output, kind: 'area', isOptional: true },
        { name: 'exact', label: texts.exact, kind: 'flag' },
      ]}
      initial={{
        name: test.name,
        input: pretty(test.input),
        hasCode: expect.code !== undefined,
        code: expect.code ?? '',
        hasMessage: expect.message !== undefined,
        message: expect.message ?? '',
        hasOutput: expect.output !== undefined,
        output: expect.output === undefined ? '' : pretty(expect.output),
        exact: expect.exact === true,
      }}
      send={async (values) => {
        const { code: _code, message: _message, output: _output, exact: _exact, ...rest } = expect
        const next: Expectation = {
          ...rest,
          ...(values.hasCode && { code: values.code }),
          ...(values.hasMessage && { message: values.message }),
          ...(values.hasOutput && { output: read(values.output, texts.parts.output) }),
          ...(values.hasOutput && values.exact && { exact: true }),
        }
        if (Object.keys(next).every((key) => key === 'tolerance')) throw new Error(texts.nothingCounts)
        await store(values.name, values.input, next)
      }}
    />
  )
}
