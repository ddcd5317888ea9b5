import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Go } from '../ui/link.tsx'
import { Empty } from '../ui/states.tsx'

/** The page for unknown URLs. */
export function Unknown() {
  const { errors } = useTexts()
  return (
    <main id="main">
      <h1 className="vh">{errors.unknown.title}</h1>
      <Empty picture="search" title={errors.unknown.title} text={errors.unknown.text}>
        <Go to={paths.home()} className="btn">
          {errors.home}
        </Go>
      </Empty>
    </main>
  )
}
