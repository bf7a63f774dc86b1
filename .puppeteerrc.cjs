// The browser is found or installed by the tests' own set-up, so installing the package downloads nothing.
module.exports = { skipDownload: true };
