// SPDX-License-Identifier: MIT
// The operator's page against a real router and launched stand-in replicas.
import assert from 'node:assert/strict';
import {before, describe, test} from 'node:test';
import {eventually} from '../clients/fleet.mjs';
import {LaunchingRouter, openBrowser, openPage, signIn, token} from './fleet.mjs';

let browser;
let router;
let page;
let complaints;

/** A tile, by its slot and the state it shows. */
const tile = (slot, state = '') =>
  page.locator(`[data-place="${slot}"]`, {has: page.locator('.state', {hasText: state})});
const shows = (slot, state) => tile(slot, state).waitFor({timeout: 30_000});
const concern = (text) => page.locator('.concerns > li', {hasText: text});
const confirm = () => page.click('#question .main');

/** Opens a place's sheet, presses its button of that name, and confirms. */
async function doFromSheet(slot, label, sure = false) {
  await tile(slot).click();
  await page.click(`#sheet .offer button:has-text("${label}")`);
  if (sure) await page.check('#question input');
  await confirm();
  await page.keyboard.press('Escape');
}

before(async () => {
  [browser, router] = await Promise.all([openBrowser(), LaunchingRouter.start()]);
  ({page, complaints} = await openPage(browser, router.url));
});

describe('the page', {timeout: 400_000}, () => {
  test('asks for the token, and again after a wrong one, and keeps none', async () => {
    await page.locator('#sign-in').waitFor();
    assert.equal(await page.locator('#picture').isVisible(), false);
    await signIn(page, 'wrong');
    await page.locator('#refused', {hasText: 'does not accept'}).waitFor();
    await signIn(page);
    await page.locator('#picture').waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{...localStorage}, {...sessionStorage},
      document.cookie, location.href, document.documentElement.outerHTML]));
    assert.equal(kept.includes(token), false);
  });

  test('shows hosts, slots and phases, and what the samples add up to', async () => {
    await shows('node-d0', 'ready');
    await shows('node-d1', 'ready');
    await shows('node-d2', 'free');
    for (let turn = 0; turn < 6; ++turn) assert.equal(await router.turn('one'), 200);
    const figure = (label) => page.locator('.figure', {hasText: label}).locator('b');
    for (const [label, least] of [['to their pin', 50], ['turns/s', 0], ['first byte', 0]]) {
      await eventually(async () => Number(await figure(label).textContent()) > least, label);
    }
    const drawn = page.locator('.tile .spark .line[d^="M"]');
    await eventually(async () => await drawn.count() >= 4, 'sparklines');
  });

  test('adds a replica on the slot asked for', async () => {
    await doFromSheet('node-d2', 'Launch');
    await page.locator('#launches .last').waitFor({state: 'attached'});
    await shows('node-d2', 'ready');
    assert.equal((await router.health()).replicas_ready, 3);
  });

  test('does nothing when the question is cancelled', async () => {
    await tile('node-d2').click();
    await page.click('#sheet .offer button:has-text("Remove")');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('#sheet').waitFor({state: 'hidden'});
    assert.equal((await router.health()).replicas_ready, 3);
  });

  test('removes a replica', async () => {
    await doFromSheet('node-d2', 'Remove');
    await shows('node-d2', 'free');
    await page.locator('.note', {hasText: 'node-d2: removed'}).waitFor();
  });

  test('shows markup in a reason as text, and what needs a human with its command', async () => {
    await doFromSheet('odd-d4', 'Launch');
    await concern('its last launch failed').waitFor();
    const why = await concern('odd-d4').locator('.why').textContent();
    assert.match(why, /exit status 3; its log ends: .*<img src=x onerror=document.title=1><b>bold/);
    assert.equal(await page.locator('img, .why b, .reason b, .more b').count(), 0);
    const command = `fleetctl --router ${router.url} add odd-d4`;
    await concern('odd-d4').locator('code', {hasText: command}).waitFor();
  });

  test('copies a command', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const step = concern('odd-d4').locator('.command', {hasText: 'add odd-d4'});
    await step.locator('button').click();
    await step.locator('button', {hasText: 'Copied'}).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, `fleetctl --router ${router.url} add odd-d4`);
  });

  test('releases a slot, once it was said that its devices are free', async () => {
    await doFromSheet('held-d5', 'Launch');
    await shows('held-d5', 'ready');
    await doFromSheet('held-d5', 'Remove');
    await shows('held-d5', 'unconfirmed');
    router.kill('held-d5');
    await concern('held-d5').locator('button', {hasText: 'Release'}).click();
    assert.equal(await page.locator('#question .main').isDisabled(), true);
    await page.check('#question input');
    await confirm();
    await shows('held-d5', 'free');
    await concern('held-d5').waitFor({state: 'detached'});
  });

  test('shows a replica killed, replaced and ready again, without a reload', async () => {
    await page.evaluate(() => { window.sameDocument = true; });
    router.kill('node-d0');
    await shows('node-d0', 'failed');
    await shows('node-d0', 'waiting');
    await page.locator('#events [data-event="replica_lost"]', {hasText: 'node-d0'}).waitFor();
    await shows('node-d0', 'ready');
    assert.equal(await page.evaluate(() => window.sameDocument), true);
  });

  test('says that the router is gone, and goes on with the next one', async () => {
    await router.crash();
    await page.locator('#live', {hasText: 'no answer'}).waitFor();
    await router.begin();
    await page.locator('#live', {hasText: 'live'}).waitFor();
    await page.locator('#events .mark', {hasText: 'restarted'}).waitFor();
    await page.locator('#events [data-event="replica_adopted"]').first().waitFor();
    await shows('node-d0', 'ready');
    assert.equal(await page.evaluate(() => window.sameDocument), true);
  });

  test('is used with the keyboard alone', async () => {
    await tile('node-d0').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.place), 'node-d1');
    await page.keyboard.press('Enter');
    await page.locator('#sheet-title', {hasText: 'node-d1'}).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#sheet').waitFor({state: 'hidden'});
    assert.equal(await page.evaluate(() => document.activeElement.dataset.place), 'node-d1');
  });

  test('has not complained in the console until here', () => assert.deepEqual(complaints, []));

  test('its policy blocks inline script in the page', async () => {
    const other = await openPage(browser, router.url, {}, async (route) => {
      const response = await route.fetch();
      const {'content-length': _, ...headers} = response.headers();
      const more =
        '<script>window.inlineRan = 1</script><img src=x onerror="window.inlineRan = 1">';
      await route.fulfill({headers, body: `${await response.text()}${more}`});
    });
    await other.page.locator('#sign-in').waitFor();
    await other.page.locator('img').waitFor({state: 'attached'});
    const told = (what) => other.complaints.some((each) => each.includes(what));
    await eventually(() => told('inline script'), 'the script is refused');
    await eventually(() => told('inline event handler'), 'the handler is refused');
    assert.equal(await other.page.evaluate(() => window.inlineRan), undefined);
    await other.context.close();
  });

  test('its policy blocks text as markup, and requests to elsewhere', async () => {
    const refused = await page.evaluate(async () => {
      const violations = [];
      document.addEventListener('securitypolicyviolation',
        (event) => violations.push(event.effectiveDirective));
      const tries = [
        () => { document.createElement('div').innerHTML = '<b>x</b>'; },
        () => fetch('http://127.0.0.2:9/'),
      ];
      for (const one of tries) await Promise.resolve().then(one).catch(() => {});
      await new Promise((go) => setTimeout(go, 200));
      return violations.sort();
    });
    assert.deepEqual(refused, ['connect-src', 'require-trusted-types-for']);
  });

  test('fits a phone, and follows the system to dark', async () => {
    const phone = {viewport: {width: 390, height: 844}, colorScheme: 'dark', hasTouch: true};
    const {page: small, context} = await openPage(browser, router.url, phone);
    await signIn(small);
    await small.locator('[data-place="node-d0"]').waitFor();
    const [wide, ground] = await small.evaluate(() => {
      const root = document.documentElement;
      return [root.scrollWidth, getComputedStyle(root).backgroundColor];
    });
    assert.equal(wide, 390);
    assert.equal(ground, 'rgb(13, 17, 23)');
    for (const theme of ['light', 'dark', 'auto']) {
      await small.click('#theme');
      assert.equal(await small.getAttribute('#theme', 'aria-label'), `Theme: ${theme}`);
    }
    await context.close();
  });
});
