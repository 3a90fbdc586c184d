// What pages show of the company and of apps, from this origin: logos, marks, and the brand colour's stylesheet.
import type { Router } from 'express'
import { appMarks } from '../company/app-marks.ts'
import type { Company } from '../company/company.ts'
import { companyStylesheet } from '../company/stylesheet.ts'
import { serveAssets } from './assets.ts'

export type CompanyAssets = {
  /** The stylesheet's address: `--brand` and its relatives. */
  stylesheet: string
  routes: Router
}

export function companyAssets(company: Company): CompanyAssets {
  const stylesheet = companyStylesheet(company)
  return { stylesheet: stylesheet.path, routes: serveAssets([stylesheet, ...company.assets, ...appMarks]) }
}
