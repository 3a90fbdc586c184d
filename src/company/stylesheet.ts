// The brand colour as custom properties, in a file of its own because the Content-Security-Policy has no inline styles.
import { assetOf, type Asset } from './asset.ts'
import type { Company } from './company.ts'

/** `--brand`, `--on-brand`, `--brand-soft`, `--brand-strong`: each for light and dark pages, by their color-scheme. */
export function companyStylesheet({ color: { light, dark } }: Company): Asset {
  const values = [
    ['--brand', light.brand, dark.brand],
    ['--on-brand', light.onBrand, dark.onBrand],
    ['--brand-soft', light.soft, dark.soft],
    ['--brand-strong', light.strong, dark.strong],
  ]
  const lines = values.map(([name, one, other]) => `  ${name}: light-dark(${one}, ${other});\n`)
  return assetOf('/assets/company/brand', 'css', Buffer.from(`:root {\n${lines.join('')}}\n`))
}
