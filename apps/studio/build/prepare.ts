// `npm ci` runs this, so that `npm start` has pages to serve. Without the development packages there is no bundler, and the
// files of an earlier build stay.
const isInstalled = await import('vite').then(
  () => true,
  () => false,
)
if (isInstalled) {
  const { buildStudio } = await import('./build.ts')
  await buildStudio()
} else process.stdout.write('the studio is not built: vite is not installed\n')
