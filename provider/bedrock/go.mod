module github.com/toolpost/toolpost/provider/bedrock

go 1.26.5

require (
	github.com/aws/aws-sdk-go-v2 v1.42.0
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.12
	github.com/google/go-cmp v0.7.0
	github.com/toolpost/toolpost v0.0.0
)

require (
	github.com/aws/smithy-go v1.27.1 // indirect
	github.com/dlclark/regexp2 v1.12.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/toolpost/toolpost => ../..
