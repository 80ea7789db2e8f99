// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// takenObjects are objects that clusters take.
var takenObjects = []string{
	`{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, labels: {a: b}, annotations: {a: b}}, spec: {replicas: 3, strategy: {rollingUpdate: {maxSurge: 25%}}, selector: {matchLabels: {a: b}},
	  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b, env: [{name: A, value: b}], ports: [{containerPort: 80,
	    protocol: TCP}], resources: {limits: {cpu: 1, memory: 1Gi}},
	  livenessProbe: {httpGet: {port: http, path: /}}, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, configMap: {name: c, items: [{key: k, path: p}]}}]}}}}`,
	`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x}, spec: {serviceName: x, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}`,
	`{apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {schedule: "@daily", suspend: true, jobTemplate: {spec: {backoffLimit: 1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}}`,
	`{apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {pod-security.kubernetes.io/enforce: restricted}}}`,
	`{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: b, app.yaml: "a: b"}, binaryData: {b: YQ==}, immutable: true}`,
	`{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {a: YQ==}, stringData: {b: c}, type: Opaque}`,
	`{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {type: ClusterIP, selector: {a: b}, ports: [{name: http, port: 80, targetPort: http}]}}`,
	`{apiVersion: v1, kind: ServiceAccount, metadata: {name: x}, automountServiceAccountToken: false, imagePullSecrets: [{name: s}]}`,
	`{apiVersion: v1, kind: ResourceQuota, metadata: {name: x}, spec: {hard: {cpu: 10, pods: "5"}}}`,
	`{apiVersion: v1, kind: LimitRange, metadata: {name: x}, spec: {limits: [{type: Container, default: {cpu: 500m}}]}}`,
	`{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: x}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {a: b}}}], ports: [{port: 80}]}]}}`,
	`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x}, spec: {rules: [{host: a.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}]}}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}, subjects: [{kind: ServiceAccount, name: a, namespace: b}]}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
	`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}`,
	`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: x}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}, maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}}`,
	`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: x}, value: 10, globalDefault: false}`,
	`{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {restartPolicy: Always, serviceAccountName: s, terminationGracePeriodSeconds: 3, nodeSelector: {a: b}, hostAliases: [{ip: 10.0.0.1, hostnames: [a]}], dnsConfig: {options: [{name: a, value: b}]},
	  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}, sysctls: [{name: kernel.shm_rmid_forced, value: "1"}]},
	    tolerations: [{key: a, operator: Exists, effect: NoSchedule}],
	  topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}],
	  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a,
	    operator: In, values: [b]}]}}], requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a,
	      operator: Exists}]}]}},
	  podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: a,
	    labelSelector: {matchLabels: {a: b}}}}]}},
	  initContainers: [{name: i, image: b, command: [sh], args: ["-c"], securityContext: {capabilities: {drop: [ALL]}}}],
	    containers: [{name: a, image: b, envFrom: [{configMapRef: {name: c}}], lifecycle: {preStop: {exec: {command: [a]}}},
	  readinessProbe: {httpGet: {port: 80, httpHeaders: [{name: A, value: b}]}}, startupProbe: {tcpSocket: {port: 80}}, env: [{name: A,
	    valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}]}],
	  volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 3600}}]}}, {name: e, emptyDir: {sizeLimit: 1Gi}}, {name: h, hostPath: {path: /h}}]}}`,
	`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}, spec: {accessModes: [ReadWriteOnce], storageClassName: s, resources: {requests: {storage: 1Gi}}}}`,
	`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x}, provisioner: a.example, parameters: {a: b}, volumeBindingMode: WaitForFirstConsumer}`,
	`{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}}}`,
	`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: x}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}, aggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: a, operator: Exists}]}]}}`,
	`{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: x}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1], conditions: {ready: true}}], ports: [{name: a, port: 80}]}`,
	`{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: x}, handler: h, overhead: {podFixed: {cpu: 1}}}`,
	`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: x}, webhooks: [{name: a.b.example, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {name: s, namespace: ns}}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}`,
	`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.b.example}, spec: {group: b.example, scope: Namespaced, names: {kind: A, plural: as}, versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}]}}`,
	`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.b.example}, spec: {group: b.example, version: v1, groupPriorityMinimum: 10, versionPriority: 10, service: {name: s, namespace: ns}}}`,
	`{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: a, image: b, lifecycle: {preStop: {sleep: {seconds: 3}}}, livenessProbe: {grpc: {port: 80}}}],
	  volumes: [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.2001-04.example:a", lun: 1}}, {name: f, nfs: {server: a, path: /n}}, {name: s, csi: {driver: a.example}}, {name: d, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}]}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.2001-04.example:a", lun: 1}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: a.example, volumeHandle: h}}}`,
	`{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: x}, revision: 1, data: {a: b}}`,
	`{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: x}, spec: {attachRequired: true}}`,
	`{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: x}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}, maxReplicas: 3}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: a, path: /n}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], azureFile: {secretName: s, shareName: t, secretNamespace: ns}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], rbd: {image: i, monitors: [m]}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], cephfs: {monitors: [m]}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], flexVolume: {driver: a/b}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], fc: {targetWWNs: [a], lun: 1}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: /l}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], glusterfs: {endpoints: e, path: p}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], azureDisk: {diskName: d, diskURI: "https://a.example/d"}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], awsElasticBlockStore: {volumeID: v}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], gcePersistentDisk: {pdName: p}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], cinder: {volumeID: v}}}`,
	`{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], vsphereVolume: {volumePath: p}}}`,
	`{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {os: {name: linux}, readinessGates: [{conditionType: a.example/b}], schedulingGates: [{name: a}], resourceClaims: [{name: r, resourceClaimName: c}],
	  containers: [{name: a, image: b, resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}], resources: {claims: [{name: r}]},
	    volumeDevices: [{name: p, devicePath: /dev/x}], securityContext: {appArmorProfile: {type: RuntimeDefault}},
	  env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}, {name: B, valueFrom: {configMapKeyRef: {name: c, key: k}}}]}],
	  volumes: [{name: p, persistentVolumeClaim: {claimName: p}}, {name: g, glusterfs: {endpoints: e, path: p}}, {name: r, rbd: {image: i,
	    monitors: [m]}}, {name: c, cephfs: {monitors: [m]}}, {name: f, flexVolume: {driver: a/b}},
	  {name: a, azureFile: {secretName: s, shareName: t}}, {name: i, image: {reference: a}}, {name: e, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}}`,
	`{apiVersion: v1, kind: ReplicationController, metadata: {name: x}, spec: {selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}`,
	`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: x}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}`,
	`{apiVersion: v1, kind: Endpoints, metadata: {name: x}, subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{name: a, port: 80}]}]}`,
	`{apiVersion: v1, kind: Node, metadata: {name: x}, spec: {taints: [{key: a, effect: NoSchedule}]}}`,
	`{apiVersion: v1, kind: ResourceQuota, metadata: {name: x}, spec: {hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [a]}]}}}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: x}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}, subjects: [{kind: Group, name: a, apiGroup: rbac.authorization.k8s.io}]}`,
	`{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: x}, spec: {controller: a.example/b, parameters: {apiGroup: a.example, kind: A, name: a, scope: Cluster}}}`,
	`{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: x}, spec: {podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}}`,
	`{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: x}, storageClassName: s}`,
	`{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: x}, spec: {tokenRequests: [{audience: a}]}}`,
	`{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: x}, spec: {drivers: [{name: a.example, nodeID: node}]}}`,
	`{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: x}, spec: {attacher: a.example, nodeName: node, source: {persistentVolumeName: p}}}`,
	`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x}, provisioner: a.example, allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b]}]}]}`,
	`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: x}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}, maxReplicas: 3, behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 3}]}},
	  metrics: [{type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}}, {type: Object,
	    object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: a}, target: {type: Value, value: 1}}},
	  {type: External, external: {metric: {name: a}, target: {type: Value, value: 1}}}, {type: ContainerResource, containerResource: {name: cpu, container: c, target: {type: Utilization, averageUtilization: 1}}}]}}`,
	`{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: x}, spec: {priorityLevelConfiguration: {name: p}, distinguisherMethod: {type: ByUser}, matchingPrecedence: 10,
	  rules: [{subjects: [{kind: ServiceAccount, serviceAccount: {name: a, namespace: b}}, {kind: User, user: {name: u}}, {kind: Group,
	    group: {name: g}}], resourceRules: [{verbs: [get], apiGroups: [""], resources: [pods], namespaces: [a]}]},
	  {subjects: [{kind: User, user: {name: u}}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/a]}]}]}}`,
	`{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: {name: x}, spec: {type: Limited, limited: {nominalConcurrencyShares: 1, limitResponse: {type: Reject}}}}`,
	`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: x}, webhooks: [{name: a.b.example, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a.example"}, matchConditions: [{name: a, expression: "true"}]}]}`,
	`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: x}, spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, paramKind: {apiVersion: v1, kind: ConfigMap},
	  variables: [{name: v, expression: "true"}], auditAnnotations: [{key: a, valueExpression: "'a'"}], validations: [{expression: "true"}], matchConditions: [{name: a, expression: "true"}]}}`,
	`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: x}, spec: {policyName: p, validationActions: [Deny]}}`,
	`{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, selectors: [{cel: {expression: "true"}}]}}], config: [{opaque: {driver: a.example, parameters: {a: b}}}]}}}`,
	`{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: x}, spec: {selectors: [{cel: {expression: "true"}}]}}`,
	`{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: x}, spec: {holderIdentity: a}}`,
	`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.b.example}, spec: {group: b.example, scope: Namespaced, names: {kind: A, plural: as}, conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: s, namespace: ns}}}},
	  versions: [{name: v1, served: true, storage: true, subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}},
	    additionalPrinterColumns: [{name: a, type: string, jsonPath: .spec.a}], selectableFields: [{jsonPath: .spec.b}],
	  schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer}, b: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}}}}}]}}`,
	`{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: x, labels: {a: b}}, spec: {interval: 1m, url: "https://git.example/web", ref: {branch: main}, secretRef: {name: s}}}`,
	`{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: x}, spec: {interval: 1m, prune: true, wait: false, path: ./a, sourceRef: {kind: GitRepository, name: web}, postBuild: {substitute: {a: b}}, patches: [{patch: a, target: {kind: b}}], images: [{name: a, newTag: b}], healthChecks: [{apiVersion: v1, kind: A, name: b}]}}`,
	`{apiVersion: notification.toolkit.fluxcd.io/v1beta3, kind: Provider, metadata: {name: x}, spec: {type: github, address: "https://git.example/web", secretRef: {name: s}}}`,
}

// TestAccFlux_strict compares the finding OBJECT_INVALID with a real API server: if the
// finding reports one of many spoilt objects, the server refuses this object.
func TestAccFlux_strict(t *testing.T) {
	t.Parallel()
	acceptance(t)
	cluster := flux.NewCluster(t)
	found, missed := 0, 0
	for _, text := range takenObjects {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if said, faults := cluster.Refusal(t, text), strictFaults(t, object); said != "" || faults != "" {
			t.Errorf("%v is right, but the server says %q, and %q is found", object["kind"], said, faults)
		}
		spoil(object, func(change string) {
			spoilt, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			said, faults := cluster.Refusal(t, string(spoilt)), strictFaults(t, object)
			switch {
			case faults != "" && said == "":
				t.Errorf("%v, %s: the server takes it, but %q is found", object["kind"], change, faults)
			case faults != "":
				found++
			case said != "":
				missed++
			}
		})
	}
	t.Logf("%d objects are refused for what is found, and %d for other reasons", found, missed)
	if found < 8000 {
		t.Errorf("%d objects are refused for what is found, so the test proves little", found)
	}
}

// TestAccFlux_nameLengths compares the finding NAME_TOO_LONG with the server's answers
// about names, for names that the server itself limits.
func TestAccFlux_nameLengths(t *testing.T) {
	t.Parallel()
	acceptance(t)
	cluster := flux.NewCluster(t)
	for _, text := range takenObjects {
		for kind, most := range map[string]int{"Namespace": 63, "Service": 63, "CronJob": 52} {
			if !strings.Contains(text, "kind: "+kind+", metadata:") {
				continue
			}
			for _, length := range []int{most, most + 1} {
				said := cluster.Refusal(t, strings.Replace(text, "name: x", "name: "+strings.Repeat("x", length), 1))
				if (said != "") != (length > most) {
					t.Errorf("of a %s with a name of %d characters, the server says %q", kind, length, said)
				}
			}
		}
	}
}

// strictFaults returns the faults that are found in an object.
func strictFaults(t *testing.T, object map[string]any) string {
	t.Helper()
	var document yaml.Node
	if err := document.Encode(object); err != nil {
		t.Fatal(err)
	}
	faults := apischema.Check(&document)
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprint(faults)
}

// spoil changes an object in one place after the other, and calls a function each time.
func spoil(object map[string]any, spoilt func(change string)) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key != "apiVersion" && key != "kind" {
			spoilField(object, key, key, spoilt)
		}
	}
	object["unknown"] = "x"
	spoilt("an unknown field")
	delete(object, "unknown")
}

func spoilField(within map[string]any, key, at string, spoilt func(change string)) {
	original := within[key]
	if at != "metadata.name" {
		delete(within, key)
		spoilt(at + " is gone")
	}
	for _, other := range []any{nil, "text", "", 1, -1, 1.5, true, []any{}, []any{"a"}, []any{nil}, map[string]any{}, map[string]any{"a": "b"},
		map[string]any{"a": nil}} {
		if at != "metadata" && at != "metadata.name" {
			within[key] = other
			spoilt(fmt.Sprintf("%s is %#v", at, other))
		}
	}
	within[key] = original
	switch original := original.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(original)) {
			spoilField(original, key, at+"."+key, spoilt)
		}
		original["unknown"] = "x"
		spoilt(at + " has an unknown field")
		delete(original, "unknown")
	case []any:
		if element, ok := original[0].(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(element)) {
				spoilField(element, key, at+"[0]."+key, spoilt)
			}
			element["unknown"] = "x"
			spoilt(at + "[0] has an unknown field")
			delete(element, "unknown")
		}
	}
}
